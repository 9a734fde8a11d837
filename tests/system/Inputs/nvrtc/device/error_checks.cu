#include "common.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void scale_kernel(float *out, const float *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = 3.0f * in[i];
}

void scale(float *out, const float *in, int n)
{
	scale_kernel<<<DIV_UP(n, 128), 128>>>(out, in, n);
	CUDA_CHECK(cudaGetLastError());
}
