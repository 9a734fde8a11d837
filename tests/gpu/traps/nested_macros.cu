// Macros over macros over the parameter: in the kernel, in a helper, and in the launch.
// entry: k BLOCK=64 ITEMS=4
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define ITEMS 2
#define TILE (BLOCK * ITEMS)
#define TILES(n) (((n) + TILE - 1) / TILE)
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
__device__ int first_of(int block) { return block * TILE; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128; ITEMS = 1, 2, 4)
__global__ void k(float *y, int n)
{
	int CAT(in, dex) = first_of(blockIdx.x) + threadIdx.x;
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (index + i * BLOCK < n)
			y[index + i * BLOCK] += TILE / (BLOCK * ITEMS);
}
int main()
{
	float *y = filled<float>(1000);
	int n = 1000;
	k<<<TILES(n), BLOCK>>>(y, n);
	show("y", y, n);
}
