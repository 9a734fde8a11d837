// RUN: %rewrite %s -- -std=c++17 -isystem %S/Inputs/library | python3 %S/Inputs/show.py | %FileCheck %s
// A library's functions and classes may ask where a thread stands, also outside of namespaces, and also where the
// compiler takes its headers for the system's.
// CHECK-NOT: template of {{[0-9]}} 0
// CHECK: template of 10 0
// CHECK: parameter VEC
// CHECK: template of 11 0
// CHECK: parameter VEC
// CHECK: template of 12 0
// CHECK: parameter VEC
#include <algorithm>
#include <cmath>
#include <cuda/std/limits>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <library.h>
#include <thrust/complex.h>
struct over_library : library_place {
	int other;
};
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void called(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + library_lane();
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void elsewhere(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = library_elsewhere(x[i]);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void omitted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = library_shifted(x[i]);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void in_std(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = std::library_hash<int>()(i);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void constructed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		library_place a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void base(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		over_library a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void held(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		library_box<library_place> a;
		y[i] = x[i] + a.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void assigned(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		library_box<library_number> a, b;
		a.inner.value = x[i];
		b = a;
		y[i] = b.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void multiplied(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		library_number a{x[i]}, b{2.0f};
		y[i] = (a * b).value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void in_braces(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + library_first{}.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void twice(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = library_twice(x[i]) + library_square(3);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void converted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		library_half a = x[i], b = 2.0f;
		y[i] = a + b;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void tools(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		thrust::complex<float> a(x[i], 1.0f), b = a * a;
		y[i] = b.real() + sqrtf(std::abs(x[i])) + std::max(x[i], 1.0f) + cuda::std::numeric_limits<float>::max() +
		       std::pow(x[i], 2.0f) + abs(i) + __half2float(__float2half(x[i]));
	}
}

void run(float *y, const float *x, int n)
{
	called<<<(n + 63) / 64, 64>>>(y, x, n);
	elsewhere<<<(n + 63) / 64, 64>>>(y, x, n);
	omitted<<<(n + 63) / 64, 64>>>(y, x, n);
	in_std<<<(n + 63) / 64, 64>>>(y, x, n);
	constructed<<<(n + 63) / 64, 64>>>(y, x, n);
	base<<<(n + 63) / 64, 64>>>(y, x, n);
	held<<<(n + 63) / 64, 64>>>(y, x, n);
	assigned<<<(n + 63) / 64, 64>>>(y, x, n);
	multiplied<<<(n + 63) / 64, 64>>>(y, x, n);
	in_braces<<<(n + 63) / 64, 64>>>(y, x, n);
	twice<<<(n + 63) / 64, 64>>>(y, x, n);
	converted<<<(n + 63) / 64, 64>>>(y, x, n);
	tools<<<(n + 63) / 64, 64>>>(y, x, n);
}
