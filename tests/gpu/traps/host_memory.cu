// A parameter that also sizes memory on the host keeps its value.
// An entry from before the host used it would give wrong results: its grid does not belong to the kernel's text.
// entry: k BLOCK=64
// stays: k
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1024) in(x[n]) out(partial[n]) tune(BLOCK = 64, 128, 256) grid(n / BLOCK) block(BLOCK)
__global__ void k(float *partial, const float *x, int n)
{
	__shared__ float sum[BLOCK];
	sum[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
	__syncthreads();
	if (threadIdx.x == 0) {
		float all = 0;
		for (int i = 0; i < BLOCK; i++)
			all += sum[i];
		partial[blockIdx.x] = all;
	}
}
int main()
{
	int n = 1024;
	float *x = filled<float>(n), *partial = nullptr;
	check(cudaMalloc(&partial, n / BLOCK * sizeof(float)));
	k<<<n / BLOCK, BLOCK>>>(partial, x, n);
	show("partial", partial, n / BLOCK);
}
