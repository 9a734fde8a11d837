// One macro of two kernels, each with its own configuration, and of a helper that both call.
// entry: first BLOCK=64
// entry: second BLOCK=256
// expect: first variant=1 original=0
// expect: second variant=1 original=0
#include "trap.h"
#define BLOCK 128
__device__ int index() { return blockIdx.x * BLOCK + threadIdx.x; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256)
__global__ void first(float *y, int n)
{
	__shared__ float part[BLOCK];
	int i = index();
	part[threadIdx.x] = i < n ? y[i] : 0;
	if (i < n)
		y[i] = part[threadIdx.x] * 3;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256)
__global__ void second(float *y, int n)
{
	int i = index();
	if (i < n)
		y[i] = y[i] + 1;
}
int main()
{
	int n = 1000, blocks = (n + BLOCK - 1) / BLOCK;
	float *y = filled<float>(n);
	first<<<blocks, BLOCK>>>(y, n);
	second<<<blocks, BLOCK>>>(y, n);
	show("y", y, n);
}
