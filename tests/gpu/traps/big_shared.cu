// A variant that needs more than 48 KB of dynamic shared memory, while the original does not.
// entry: k TILE=16384
// expect: k variant=1 original=0
#include "trap.h"
#define TILE 4096
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) tune(TILE = 4096, 8192, 16384) grid(n / TILE) block(256) smem(TILE * 4)
__global__ void k(float *y, const float *x, int n)
{
	extern __shared__ float tile[];
	for (int i = threadIdx.x; i < TILE; i += 256)
		tile[i] = x[blockIdx.x * TILE + i];
	__syncthreads();
	for (int i = threadIdx.x; i < TILE; i += 256)
		y[blockIdx.x * TILE + i] = tile[i] * 2;
}
int main()
{
	int n = 65536;
	float *x = filled<float>(n), *y = filled<float>(n);
	k<<<n / TILE, 256, TILE * sizeof(float)>>>(y, x, n);
	show("y", y, n);
}
