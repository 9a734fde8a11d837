// A shared library and a program with kernels of one name, static and not, each with its own configuration.
// library: library_b.cu
// also: -rdc=true
// entry: k BLOCK=64
// entry: own WIDTH=64
// expect: k variant=1 original=0
// expect: own variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128, 256)
static __global__ void own(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] *= 3;
}
void other(float *y, int n);
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	own<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
	other(y, n);
	show("y", y, n);
}
