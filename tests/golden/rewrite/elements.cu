// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// The language's own templates make, copy, compare and call what they are of: these may ask where a thread stands.
// CHECK-NOT: template of {{[0-7]}} 0
// CHECK: template of 8 0
// CHECK: parameter VEC
// CHECK: template of 9 0
// CHECK: parameter VEC
// CHECK: template of 10 0
// CHECK: parameter VEC
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda_runtime.h>
struct place {
	int at = threadIdx.x;
};
struct watched {
	float value;
	watched() = default;
	__device__ watched(float from) : value(from) {}
	__device__ watched(const watched &other) : value(other.value + threadIdx.x) {}
};
struct odd {
	float value;
	__device__ bool operator<(const odd &other) const { return threadIdx.x % 2 == 1 && value < other.value; }
};
struct lane {
	__device__ int operator()() const { return threadIdx.x; }
};
struct lanes {
	cuda::std::tuple<place, int> of;
};
__device__ inline int where() { return threadIdx.x; }
struct number {
	float value;
	number() = default;
	__device__ number(float from) : value(from) {}
	__device__ bool operator<(const number &other) const { return value < other.value; }
	__device__ float operator()(float a) const { return value * a; }
};
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void called(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + cuda::std::invoke(lane());
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void called_by_pointer(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] + cuda::std::invoke(where);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void elements(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::array<place, 2> a;
		y[i] = x[i] + a[1].at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void in_braces(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::array<place, 2> a{};
		y[i] = x[i] + a[1].at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void constructed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::pair<place, int> a;
		y[i] = x[i] + a.first.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void member(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		lanes a;
		y[i] = x[i] + cuda::std::get<0>(a.of).at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void copied(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::pair<watched, int> a;
		a.first.value = x[i];
		cuda::std::pair<watched, int> b = a;
		y[i] = b.first.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void compared(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::pair<odd, int> a{odd{x[i]}, 1}, b{odd{2.0f}, 1};
		y[i] = a < b ? 1.0f : 2.0f;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void of_numbers(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::pair<float, int> a(x[i], 1);
		cuda::std::array<float, 2> b{a.first, 2.0f};
		y[i] = b[0] + b[1];
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void of_values(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::pair<number, int> a(number(x[i]), 1), b;
		b = a;
		y[i] = b.first.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void of_tuples(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		cuda::std::tuple<number, int> a(number(x[i]), 1);
		number b = cuda::std::move(cuda::std::get<0>(a));
		y[i] = cuda::std::invoke(b, 2.0f);
	}
}

void run(float *y, const float *x, int n)
{
	called<<<(n + 63) / 64, 64>>>(y, x, n);
	called_by_pointer<<<(n + 63) / 64, 64>>>(y, x, n);
	elements<<<(n + 63) / 64, 64>>>(y, x, n);
	in_braces<<<(n + 63) / 64, 64>>>(y, x, n);
	constructed<<<(n + 63) / 64, 64>>>(y, x, n);
	member<<<(n + 63) / 64, 64>>>(y, x, n);
	copied<<<(n + 63) / 64, 64>>>(y, x, n);
	compared<<<(n + 63) / 64, 64>>>(y, x, n);
	of_numbers<<<(n + 63) / 64, 64>>>(y, x, n);
	of_values<<<(n + 63) / 64, 64>>>(y, x, n);
	of_tuples<<<(n + 63) / 64, 64>>>(y, x, n);
}
