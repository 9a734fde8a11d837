// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// An operator that fills an object of its own by that one's operator[] changes none but it, where what that gives is a part of
// the object, and not what the object points at.
// CHECK-NOT: template of {{[0-1]}} 0
// CHECK: template of 2 0
// CHECK: parameter VEC
#include <cuda_runtime.h>
struct view {
	float *of;
	__device__ float &operator[](int k) const { return of[k]; }
};
__device__ inline float operator*(const view &a, const view &b)
{
	view product = a;
	product[0] = a[0] * b[0];
	return product[0];
}
struct shared_row {
	float of[2];
	float *all;
	__device__ float &operator[](int k) { return k < 2 ? of[k] : all[k]; }
};
__device__ inline float operator*(shared_row a, shared_row b)
{
	a[0] = a[1] * b[1];
	return a[0];
}
template <class T, int N> struct vec {
	T of[N];
	__device__ vec() {}
	__device__ explicit vec(T all)
	{
		for (int k = 0; k < N; k++)
			of[k] = all;
	}
	__device__ T &operator[](int k) { return of[k]; }
	__device__ const T &operator[](int k) const { return this->of[k]; }
};
template <class T, int N> __device__ vec<T, N> operator+(const vec<T, N> &a, const vec<T, N> &b)
{
	vec<T, N> sum;
	for (int k = 0; k < N; k++)
		sum[k] = a[k] + b[k];
	return sum;
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void through_a_pointer(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float t[2] = {x[i], 1.0f};
		view a{t};
		y[i] = a * a + t[0];
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void either(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float t[2] = {x[i], 1.0f};
		shared_row a{{x[i], 2.0f}, t};
		y[i] = a * a;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void added(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		vec<float, 3> a(x[i]), b(1.0f);
		vec<float, 3> c = a + b;
		y[i] = c[0] + c[1] + c[2];
	}
}

void run(float *y, const float *x, int n)
{
	through_a_pointer<<<(n + 63) / 64, 64>>>(y, x, n);
	either<<<(n + 63) / 64, 64>>>(y, x, n);
	added<<<(n + 63) / 64, 64>>>(y, x, n);
}
