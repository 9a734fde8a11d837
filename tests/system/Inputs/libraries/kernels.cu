/* Each library has another kernel of this name. */
#include "scale.h"

#define BLOCK 128
__global__ void scale(float *y, const float *x, int n)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		y[i] = x[i] * FACTOR;
}
