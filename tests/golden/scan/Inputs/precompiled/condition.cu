// RUN: %scan %s -- -std=c++17
// What is asked in front of the include is not answered by it.
#ifdef __CUDA_FP16_H__
#error read too early
#endif
#include <cuda_fp16.h>
#ifndef __CUDA_FP16_H__
#error not read
#endif
__device__ __half twice(__half x) { return x + x; }
#define ITEMS 1

#pragma ktune problem(n = 1024) inout(x[n]) tune(ITEMS = 1, 2)
__global__ void k(__half *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x * ITEMS)
		x[i] = twice(x[i]);
}
void run(__half *x, int n) { k<<<1, 128>>>(x, n); }
