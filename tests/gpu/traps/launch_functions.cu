// Kernels that functions of the runtime launch: a cooperative one stays as it is, a plain one is dispatched.
// What only asks for attributes is no launch; a kernel whose attributes are set, or whose occupancy is asked for, stays.
// entry: k BLOCK=64
// expect: k variant=2 original=0
// stays: together
// stays: preferring
#include "trap.h"
#include <cooperative_groups.h>
#define BLOCK 128
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void together(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	float next = i + 1 < n ? y[i + 1] : 0;
	cooperative_groups::this_grid().sync();
	if (i < n)
		y[i] += next;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void preferring(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] *= 2;
}
int main()
{
	int n = 1000, blocks = 0;
	float *y = filled<float>(n);
	void *arguments[] = {&y, &n};
	cudaFuncAttributes attributes;
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(8);
	config.blockDim = dim3(128);
	check(cudaFuncGetAttributes(&attributes, k));
	check(cudaFuncSetAttribute(preferring, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
	check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, preferring, 128, 0));
	std::printf("%d\n", blocks > 0 && attributes.maxThreadsPerBlock >= 128);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	check(cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(k), arguments));
	preferring<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
	check(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(&together), dim3(8), dim3(128), arguments));
	show("y", y, n);
}
