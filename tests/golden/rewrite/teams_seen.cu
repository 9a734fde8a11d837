// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A warp a row, or several blocks a row: only where every place that asks for the block's index is seen and gets the row's.
// CHECK: template of 0 0
// CHECK: parameter ROWS
// CHECK: parameter CLUSTER
// CHECK: template of 1 0
// CHECK-NOT: parameter ROWS
// CHECK-NOT: parameter CLUSTER
// The language's own functions know of no block, nor do classes of numbers.
// CHECK: template of 2 0
// CHECK: parameter ROWS
// CHECK: parameter CLUSTER
#include <limits>
#include <math.h>

#include <cuda_fp16.h>
#include <cuda_runtime.h>
struct half_of_mine {
	unsigned short bits;
	half_of_mine() = default;
	__device__ half_of_mine(float value) { bits = __half_as_ushort(__float2half(value)); }
	__device__ operator float() const { return __half2float(__ushort_as_half(bits)); }
};
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) out(y[rows])
__global__ void seen(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float s[64];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += fminf(x[blockIdx.x * d + i], INFINITY) + float2{0.0f, 1.0f}.x;
	s[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			s[threadIdx.x] += s[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = s[0];
}
// One of the language's functions that ask.
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) out(y[rows])
__global__ void told(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float s[64];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[blockIdx.x * d + i];
	s[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			s[threadIdx.x] += s[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = s[0] + __clusterIdx().x;
}
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) out(y[rows])
__global__ void of_language(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float s[64];
	float most = -std::numeric_limits<float>::infinity();
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		most = fmaxf(most, lgammaf(half_of_mine(x[blockIdx.x * d + i])));
	s[threadIdx.x] = most;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + o]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = s[0];
}

void run(float *y, const float *x, int rows, int d)
{
	seen<<<rows, 64>>>(y, x, d);
	told<<<rows, 64>>>(y, x, d);
	of_language<<<rows, 64>>>(y, x, d);
}
