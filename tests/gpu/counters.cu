// A launch that Nsight Compute has something to say about: neighbouring threads take elements a row apart.
#include <cuda_runtime.h>

#ifndef BLOCK
#define BLOCK 256
#endif

#pragma ktune problem(n = 4096) in(x[n * n]) out(y[n * n]) tune(BLOCK = 64, 128, 256) \
    grid(ceil_div(n, BLOCK), n) block(BLOCK)
__global__ void columns(float *y, const float *x, int n)
{
	const int row = blockIdx.x * BLOCK + threadIdx.x, column = blockIdx.y;

	if (row < n)
		y[(size_t)row * n + column] = 2 * x[(size_t)row * n + column];
}

cudaError_t run(float *y, const float *x, int n, cudaStream_t stream)
{
	const dim3 grid((n + BLOCK - 1) / BLOCK, n);

	columns<<<grid, BLOCK, 0, stream>>>(y, x, n);
	return cudaGetLastError();
}
