// Device and managed globals that the kernel writes: no clause names them, so the kernel is left unmodified.
// stays: counted
// stays: managed
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
__device__ int total;
__managed__ int shared_total;
#pragma ktune problem(n = 1000) in(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void counted(const int *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		atomicAdd(&total, y[i]);
}
#pragma ktune problem(n = 1000) in(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void managed(const int *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		atomicAdd(&shared_total, y[i]);
}
int main()
{
	int *y = filled<int>(1000), host = 0;
	counted<<<8, BLOCK>>>(y, 1000);
	managed<<<8, BLOCK>>>(y, 1000);
	check(cudaDeviceSynchronize());
	check(cudaMemcpyFromSymbol(&host, total, sizeof host));
	std::printf("%d %d\n", host, shared_total);
}
