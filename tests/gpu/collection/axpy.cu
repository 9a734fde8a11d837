// y += a * x in a grid-stride loop of a fixed number of blocks.
#include <cuda_runtime.h>

#pragma ktune problem(n = 65536, 67108864) in(x[n]) inout(y[n]) value(a = 1.5f)
__global__ void axpy(float *__restrict__ y, const float *__restrict__ x, float a, size_t n)
{
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = a * x[i] + y[i];
}

void run(float *y, const float *x, float a, size_t n, cudaStream_t stream)
{
	axpy<<<256, 256, 0, stream>>>(y, x, a, n);
}
