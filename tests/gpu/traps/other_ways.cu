// Launches by name and by functions of the runtime are dispatched; through a pointer and in parentheses they stay as they are.
// entry: k BLOCK=64
// expect: k variant=3 original=0
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	void (*pointer)(float *, int) = k;
	void *arguments[] = {&y, &n};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(8);
	config.blockDim = dim3(128);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	pointer<<<8, 128>>>(y, n);
	(k)<<<8, 128>>>(y, n);
	check(cudaLaunchKernel(reinterpret_cast<const void *>(&k), dim3(8), dim3(128), arguments, 0, nullptr));
	check(cudaLaunchKernelEx(&config, k, y, n));
	show("y", y, n);
}
