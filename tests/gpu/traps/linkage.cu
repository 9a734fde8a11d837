// extern "C", as a prefix and as a block, with a declaration before.
// entry: one BLOCK=64
// entry: two WIDTH=64
// expect: one variant=1 original=0
// expect: two variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
extern "C" __global__ void one(float *y, int n);
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
extern "C" __global__ void __launch_bounds__(BLOCK) one(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
extern "C" {
__device__ int place(int i) { return blockIdx.x * WIDTH + i; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void two(float *y, int n)
{
	int i = place(threadIdx.x);
	if (i < n)
		y[i] *= 2;
}
void run(float *y, int n) { two<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n); }
}
int main()
{
	float *y = filled<float>(1000);
	one<<<8, BLOCK>>>(y, 1000);
	run(y, 1000);
	show("y", y, 1000);
}
