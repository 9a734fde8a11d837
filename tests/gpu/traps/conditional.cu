// Conditional compilation around the kernel, and inside it by the parameter and by architecture.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#ifndef BLOCK
#define BLOCK 128
#endif
#if defined(__CUDACC__)
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
#if BLOCK == 64
	float add = 1;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
	float add = 1;
#else
	float add = 1;
#endif
	if (i < n)
		y[i] += add;
}
#endif
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000);
	show("y", y, 1000);
}
