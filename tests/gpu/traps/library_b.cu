// Part of library.
// entry: own WIDTH=256
// expect: own variant=1 original=0
#include "trap.h"
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128, 256)
static __global__ void own(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] -= 5;
}
void other(float *y, int n) { own<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n); }
