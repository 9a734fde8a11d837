// compute_80 only: on a newer GPU the variant was not compiled for it, so the original runs.
// flags: -gencode=arch=compute_80,code=compute_80
// device: NVIDIA H200
// entry: k BLOCK=64
// expect: k variant=0 original=1 .*architecture=1
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000);
	show("y", y, 1000);
}
