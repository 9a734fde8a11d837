// Rows to int8 with a scale of their own, a block a row: the largest magnitude, then the row once more.
#include <cstdint>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define THREADS 256

#pragma ktune problem(rows = 16, 4096; d = 4096, 11008) in(x[rows * d]) out(q[rows * d], scale[rows]) \
              tolerance(q: abs = 1; scale: abs = 1e-6, rel = 1e-4)
__global__ void quantize_rows(int8_t *__restrict__ q, float *__restrict__ scale, const __half *__restrict__ x, int d)
{
	__shared__ float partial[THREADS];
	const size_t begin = (size_t)blockIdx.x * d;
	float largest = 0.0f;
	for (int i = threadIdx.x; i < d; i += THREADS)
		largest = fmaxf(largest, fabsf(__half2float(x[begin + i])));
	partial[threadIdx.x] = largest;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width >>= 1) {
		if (threadIdx.x < width)
			partial[threadIdx.x] = fmaxf(partial[threadIdx.x], partial[threadIdx.x + width]);
		__syncthreads();
	}
	const float step = fmaxf(partial[0], 1e-5f) / 127.0f;
	if (threadIdx.x == 0)
		scale[blockIdx.x] = step;
	for (int i = threadIdx.x; i < d; i += THREADS) {
		int value = __float2int_rn(__half2float(x[begin + i]) / step);
		q[begin + i] = (int8_t)max(-127, min(127, value));
	}
}

void run(int8_t *q, float *scale, const __half *x, int rows, int d, cudaStream_t stream)
{
	quantize_rows<<<rows, THREADS, 0, stream>>>(q, scale, x, d);
}
