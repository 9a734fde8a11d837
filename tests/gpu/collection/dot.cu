// A tree in each block, one atomic addition a block.
#include <cuda_runtime.h>

#define THREADS 256

#pragma ktune problem(n = 65536, 67108864) in(x[n] : uniform(0, 1), y[n] : uniform(0, 1)) inout(result[1] : zeros) \
              tolerance(abs = 1e-3, rel = 1e-4)
__global__ void dot(float *result, const float *x, const float *y, int n)
{
	__shared__ float partial[THREADS];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		sum += x[i] * y[i];
	partial[threadIdx.x] = sum;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			partial[threadIdx.x] += partial[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(result, partial[0]);
}

void run(float *result, const float *x, const float *y, int n, cudaStream_t stream)
{
	dot<<<512, THREADS, 0, stream>>>(result, x, y, n);
}
