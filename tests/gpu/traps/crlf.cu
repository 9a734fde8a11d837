// Lines that end with carriage return and line feed, and none at the end.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) \
    tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) /
	    BLOCK, BLOCK>>>(y, 1000);
	show("y", y, 1000);
	std::printf("%d\n", __LINE__);
}