// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A function or type of the file that is found before the toolkit's where a variant is emitted.
// CHECK-NOT: template of {{[01]}}
// CHECK: template of 2 0
// CHECK: declined hidden-name {{.*}} 'fmax' is declared in this file
// CHECK: declined hidden-name {{.*}} 'uint4' is declared in this file
namespace a { __device__ float fmax(float a, float b) { return a + b; }
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void k0(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = ::fmaxf(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = ::fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run0(float *y, const float *x, int rows, int n) { k0<<<rows, 256>>>(y, x, n); }
}

namespace b { struct uint4 { int q; };
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void k1(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = ::fmaxf(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = ::fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run1(float *y, const float *x, int rows, int n) { k1<<<rows, 256>>>(y, x, n); }
}

namespace c { __device__ float fmax(float a, float b) { return a + b; } } namespace d {
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows])
__global__ void k2(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[256];
	float most = 0;
	for (int i = threadIdx.x; i < n; i += 256)
		most = ::fmaxf(most, x[(size_t)blockIdx.x * n + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = ::fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run2(float *y, const float *x, int rows, int n) { k2<<<rows, 256>>>(y, x, n); }
}

