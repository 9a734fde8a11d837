// A region whose host reference calls what nobody defines, unless DEFINED.
#include "saxpy.h"

#ifndef BLOCK
#define BLOCK 128
#endif
#define ITEMS 1

#ifdef DEFINED
static double nobody(double v) { return v; }
#else
double nobody(double v);
#endif
void saxpy_reference(double *y, const double *x, double a, int n)
{
	for (int i = 0; i < n; i++)
		y[i] = a * x[i] + nobody(y[i]);
}

#pragma ktune problem(n = 4096, 1048576) in(x[n]) inout(y[n]) value(a = 1.5f) \
    tune(BLOCK = 64, 128, 256, 512) tune(ITEMS = 1, 2, 4) restriction(BLOCK * ITEMS <= 1024) \
    grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK) reference(saxpy_reference)
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
