/* Kernels without a launch. */
#include "scale.h"

#define BLOCK 128
__global__ void ops::scale(float *__restrict__ y, const float *x, int n, float by)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		y[i] = x[i] * by;
}
#define THREADS 128
__global__ void ops::fill(float *y, size of)
{
	for (int i = threadIdx.x; i < of.width; i += THREADS)
		y[blockIdx.x * of.width + i] = i;
}
#define SPAN 64
__global__ void zero(float *y)
{
	for (int i = threadIdx.x; i < 64; i += SPAN)
		y[i] = 0;
}
