// RUN: %scan %s -- -std=c++17
// No operators of the toolkit: the project has its own.
#define __CUDA_NO_HALF_OPERATORS__
#include <cuda_fp16.h>
__device__ __half operator+(__half a, __half b) { return __hadd(a, b); }
__device__ __half twice(__half x) { return x + x; }
#define ITEMS 1

#pragma ktune problem(n = 1024) inout(x[n]) tune(ITEMS = 1, 2)
__global__ void k(__half *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x * ITEMS)
		x[i] = twice(x[i]);
}
void run(__half *x, int n) { k<<<1, 128>>>(x, n); }
