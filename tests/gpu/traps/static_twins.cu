// Static kernels of one name in two units, at -O0, with different configurations.
// with: static_twins_b.cu
// flags: -O0 -Xcompiler=-O0
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
static __global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 2 + 1;
}
void other(float *y, int n);
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000);
	other(y, 1000);
	show("y", y, 1000);
}
