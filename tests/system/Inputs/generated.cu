// What a generator of code writes: the text comes from other files, and says so.
#include <cstdio>
#include <cuda_runtime.h>
#ifndef BLOCK
#define BLOCK 128
#endif
#line 100 "kernels \"a\".y"
#pragma ktune problem(n = 4096) inout(y[n]) tune(BLOCK = 64, 128, 256)
__global__ void scale(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] *= 2;
}
static void here(const char *file, int line) { printf("%s:%d\n", file, line); }
static void behind() { here(__FILE__, __LINE__); }
# 20 "other.y"
static void named() { here(__FILE__, __LINE__); }
/*
#line 500 "a comment"
*/
#line 70
void run(float *y, int n)
{
	scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	here(__FILE__, __LINE__);
}
int main()
{
	float *y = nullptr;

	cudaMalloc(&y, sizeof(float) * 4096);
	behind();
	named();
	run(y, 4096);
	return 0;
}
