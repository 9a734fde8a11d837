// Inclusive prefix sums of rows, a block a row: a scan in shared memory, 256 elements at a time.
#include <cuda_runtime.h>

#define THREADS 256

#pragma ktune problem((rows, d) = (64, 1024), (8192, 4096)) in(x[rows * d] : uniform(0, 1)) out(y[rows * d])
__global__ void prefix_sum(float *y, const float *x, int d)
{
	__shared__ float buffer[THREADS];
	__shared__ float carry;
	const float *from = x + blockIdx.x * d;
	float *to = y + blockIdx.x * d;
	if (threadIdx.x == 0)
		carry = 0.0f;
	__syncthreads();
	for (int base = 0; base < d; base += THREADS) {
		int i = base + threadIdx.x;
		buffer[threadIdx.x] = i < d ? from[i] : 0.0f;
		__syncthreads();
		for (int offset = 1; offset < THREADS; offset *= 2) {
			float other = threadIdx.x >= offset ? buffer[threadIdx.x - offset] : 0.0f;
			__syncthreads();
			buffer[threadIdx.x] += other;
			__syncthreads();
		}
		if (i < d)
			to[i] = buffer[threadIdx.x] + carry;
		__syncthreads();
		if (threadIdx.x == 0)
			carry += buffer[THREADS - 1];
		__syncthreads();
	}
}

void run(float *y, const float *x, int rows, int d, cudaStream_t stream)
{
	prefix_sum<<<rows, THREADS, 0, stream>>>(y, x, d);
}
