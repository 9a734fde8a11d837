// A block a row: a tree for the maximum, a tree for the sum, and a third pass that reads the row again.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define THREADS 128

#pragma ktune problem(rows = 64, 8192; d = 1024, 4096) in(x[rows * d] : uniform(-4, 4)) out(y[rows * d])
__global__ void row_softmax(__half *__restrict__ y, const __half *__restrict__ x, int d)
{
	__shared__ float partial[THREADS];
	const __half *from = x + (size_t)blockIdx.x * d;
	__half *to = y + (size_t)blockIdx.x * d;

	float largest = -INFINITY;
	for (int i = threadIdx.x; i < d; i += THREADS)
		largest = fmaxf(largest, __half2float(from[i]));
	partial[threadIdx.x] = largest;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width >>= 1) {
		if (threadIdx.x < width)
			partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + width]);
		__syncthreads();
	}
	largest = partial[0];
	__syncthreads();

	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += expf(__half2float(from[i]) - largest);
	partial[threadIdx.x] = sum;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width >>= 1) {
		if (threadIdx.x < width)
			partial[threadIdx.x] += partial[threadIdx.x + width];
		__syncthreads();
	}
	sum = partial[0];

	for (int i = threadIdx.x; i < d; i += THREADS)
		to[i] = __float2half(expf(__half2float(from[i]) - largest) / sum);
}

void run(__half *y, const __half *x, int rows, int d, cudaStream_t stream)
{
	row_softmax<<<rows, THREADS, 0, stream>>>(y, x, d);
}
