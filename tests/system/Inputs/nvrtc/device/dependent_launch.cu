#include "launch.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void successor(float *out, const float *in, int n)
{
#if __CUDA_ARCH__ >= 900
	cudaGridDependencySynchronize();
#endif
	int i = launch::global_thread();
	if (i < n)
		out[i] = in[i] + 0.5f;
}

void run(float *out, const float *in, int n)
{
	successor<<<DIV_UP(n, 128), 128>>>(out, in, n);
}
