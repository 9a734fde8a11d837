// One region with two macros, a guard restriction and a host that launches it.
#include "saxpy.h"

#ifndef BLOCK
#define BLOCK 128
#endif
#define ITEMS 1

#pragma ktune problem(n = 4096, 1048576) in(x[n]) inout(y[n]) value(a = 1.5f) \
    tune(BLOCK = 64, 128, 256, 512) tune(ITEMS = 1, 2, 4) restriction(BLOCK * ITEMS <= 1024) \
    grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK)
__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		int at = first + i * BLOCK;
		if (at < n)
			y[at] = scale(x[at], a) + y[at];
	}
}

cudaError_t run_saxpy(float *y, const float *x, float a, int n, cudaStream_t stream)
{
	saxpy<<<(n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS), BLOCK, 0, stream>>>(y, x, a, n);
	return cudaGetLastError();
}
