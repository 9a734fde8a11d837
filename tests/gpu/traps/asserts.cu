// assert in the kernel and in a helper.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include <cassert>
#include "trap.h"
#define BLOCK 128
__device__ int place(int i)
{
	assert(i < BLOCK);
	return blockIdx.x * BLOCK + i;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	assert(blockDim.x == BLOCK && "a block of another size");
	int i = place(threadIdx.x);
	if (i < n)
		y[i] += i;
}
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000);
	show("y", y, 1000);
}
