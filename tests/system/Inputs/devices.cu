// One region for several devices; each launch is said by the stub of the runtime.
#include <cstdio>
#include <cuda_runtime.h>
#ifndef BLOCK
#define BLOCK 128
#endif
#pragma ktune problem(n = 4096) inout(y[n]) tune(BLOCK = 64, 128, 256)
__global__ void twice(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] *= 2;
}
int main()
{
	int devices = 0, n = 4096;
	float *y = nullptr;
	cudaGetDeviceCount(&devices);
	for (int i = 0; i < devices; i++) {
		cudaSetDevice(i);
		cudaMalloc(&y, sizeof(float) * 4096);
		twice<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
		twice<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
		twice<<<1, BLOCK>>>(y, n);
	}
	return cudaDeviceSynchronize() != cudaSuccess;
}
