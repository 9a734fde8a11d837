// RUN: %scan %s -- -std=c++17
// A macro that is put aside around the include.
#define __hadd mine
#pragma push_macro("__hadd")
#undef __hadd
#include <cuda_fp16.h>
#pragma pop_macro("__hadd")
__device__ __half mine(__half a, __half b) { return a; }
__device__ __half twice(__half x) { return __hadd(x, x); }
#define ITEMS 1

#pragma ktune problem(n = 1024) inout(x[n]) tune(ITEMS = 1, 2)
__global__ void k(__half *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x * ITEMS)
		x[i] = twice(x[i]);
}
void run(__half *x, int n) { k<<<1, 128>>>(x, n); }
