// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Which function of a virtual one's is called, which of a template's instances another one stands on, and that an object
// of a template's argument is converted is not said where it is done.
// CHECK-NOT: template of {{[0-4]}} 0
// CHECK: template of 5 0
// CHECK: parameter VEC
// CHECK: template of 6 0
// CHECK: parameter VEC
#include <cuda_runtime.h>
struct shape {
	__device__ virtual float grown(float a) const { return a; }
};
struct place : shape {
	__device__ float grown(float a) const override { return a + threadIdx.x; }
};
__device__ inline float grown(const shape &s, float a) { return s.grown(a); }
template <int N> struct level : level<N - 1> {
	int other;
};
template <> struct level<0> {
	int at = threadIdx.x;
};
template <class T, int N> struct step {
	T value;
	__device__ step()
	{
		step<T, N - 1> below;
		value = below.value;
	}
};
template <class T> struct step<T, 0> {
	T value;
	__device__ step() : value(threadIdx.x) {}
};
template <class T> struct box {
	T inner;
	int other;
};
struct odd {
	__device__ operator bool() const { return threadIdx.x % 2 == 1; }
};
template <class T> struct tests {
	int at;
	__device__ tests()
	{
		T value;
		at = 0;
		if (value)
			at = 1;
	}
};
template <class T> struct reads {
	T from;
	int at;
	reads() = default;
	__device__ reads(const reads &other) : from(other.from), at(*other.from + 1) {}
};
template <int N> struct plain_level : plain_level<N - 1> {
	float value;
};
template <> struct plain_level<0> {
	float first = 3.0f;
};
struct even {
	__device__ operator bool() const { return true; }
};
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void virtual_function(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		place a;
		y[i] = grown(a, x[i]);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void bases(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		level<3> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void another_instance(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<step<float, 2>> a;
		y[i] = x[i] + a.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void converted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<tests<odd>> a;
		y[i] = x[i] + a.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void pointed_at(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		odd from;
		box<reads<odd *>> a;
		a.inner.from = &from;
		box<reads<odd *>> b = a;
		y[i] = x[i] + b.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void plain_bases(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		plain_level<3> a;
		a.value = x[i];
		y[i] = a.value + a.first;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void plainly_converted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<tests<even>> a;
		y[i] = x[i] + a.inner.at;
	}
}

void run(float *y, const float *x, int n)
{
	virtual_function<<<(n + 63) / 64, 64>>>(y, x, n);
	bases<<<(n + 63) / 64, 64>>>(y, x, n);
	another_instance<<<(n + 63) / 64, 64>>>(y, x, n);
	converted<<<(n + 63) / 64, 64>>>(y, x, n);
	pointed_at<<<(n + 63) / 64, 64>>>(y, x, n);
	plain_bases<<<(n + 63) / 64, 64>>>(y, x, n);
	plainly_converted<<<(n + 63) / 64, 64>>>(y, x, n);
}
