// Every element is an atomic addition in global memory.
#include <cuda_runtime.h>

#pragma ktune problem(n = 65536, 67108864) in(data[n] : range(0, 255)) inout(bins[256] : zeros)
__global__ void histogram(unsigned int *bins, const unsigned char *data, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int stride = gridDim.x * blockDim.x;
	for (; i < n; i += stride)
		atomicAdd(&bins[data[i]], 1u);
}

void run(unsigned int *bins, const unsigned char *data, int n, cudaStream_t stream)
{
	histogram<<<1024, 256, 0, stream>>>(bins, data, n);
}
