// Launches that device code does not see: under #ifndef __CUDA_ARCH__, in functions of both sides.
// entry: k BLOCK=64
// entry: t WIDTH=64
// expect: k variant=2 original=0
// expect: t variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
#if __CUDA_ARCH__ >= 700
		y[i] = y[i] * 3 + BLOCK / BLOCK;
#else
		y[i] = y[i] * 3 + 1;
#endif
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128)
template <typename T> __global__ void t(T *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 2;
}
template __global__ void t<float>(float *, int);
__host__ __device__ inline int twice(int a) { return 2 * a; }
#ifndef __CUDA_ARCH__
static void run(float *y, int n)
{
	int blocks = (n + BLOCK - 1) / BLOCK;
	k<<<blocks, BLOCK>>>(y, n);
}
#endif
int main()
{
	int n = twice(500);
	float *y = filled<float>(n);
#ifndef __CUDA_ARCH__
	run(y, n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	t<float><<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
#endif
	show("y", y, n);
}
