// Part of static_twins.
// entry: k BLOCK=256
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
static __global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 3 - 1;
}
void other(float *y, int n) { k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }
