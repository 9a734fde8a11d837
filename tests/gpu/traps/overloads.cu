// Overloaded kernels, plain and template, each with its own region.
// entry: kf BLOCK=64
// entry: ki WIDTH=32
// expect: kf variant=1 original=0
// expect: ki variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#pragma ktune name(kf) problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] *= 2;
}
#pragma ktune name(ki) problem(n = 1000) inout(y[n]) tune(WIDTH = 32, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void k(int *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] *= 3;
}
__global__ void k(double *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] *= 5;
}
int main()
{
	float *y = filled<float>(1000);
	int *z = filled<int>(1000);
	double *w = filled<double>(1000);
	k<<<8, BLOCK>>>(y, 1000);
	k<<<8, WIDTH>>>(z, 1000);
	k<<<8, 128>>>(w, 1000);
	show("y", y, 1000);
	show("z", z, 1000);
	show("w", w, 1000);
}
