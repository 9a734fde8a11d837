// A helper that is declared before the kernel and defined after it, and uses the parameter.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
__device__ int place(int i);
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = place(threadIdx.x);
	if (i < n)
		y[i] += i;
}
__device__ int place(int i) { return blockIdx.x * BLOCK + i; }
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000);
	show("y", y, 1000);
}
