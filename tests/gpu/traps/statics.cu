// Static variables of a kernel and of a helper: a copy would count for itself, so the kernels are left unmodified.
// stays: own
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void own(int *y, int n)
{
	static __device__ int calls;
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += calls;
	__syncthreads();
	if (i == 0)
		atomicAdd(&calls, 1);
}
int main()
{
	int *y = filled<int>(1000);
	own<<<1, BLOCK>>>(y, 100);
	own<<<1, BLOCK>>>(y, 100);
	show("y", y, 100);
}
