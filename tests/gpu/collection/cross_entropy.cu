// The loss of each row against its target, a block a row: maximum, sum of exponentials, one logarithm.
#include <cuda_runtime.h>

#define THREADS 256

#pragma ktune problem((rows, classes) = (16, 50304), (4096, 50304)) in(logits[rows * classes] : uniform(-8, 8)) \
              in(target[rows] : range(0, 255)) out(loss[rows]) restriction(classes > 255)
__global__ void cross_entropy(float *loss, const float *logits, const int *target, int classes)
{
	__shared__ float partial[THREADS];
	const float *row = logits + (size_t)blockIdx.x * classes;
	int tid = threadIdx.x;

	float largest = -1e30f;
	for (int i = tid; i < classes; i += THREADS)
		largest = fmaxf(largest, row[i]);
	partial[tid] = largest;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (tid < width)
			partial[tid] = fmaxf(partial[tid], partial[tid + width]);
		__syncthreads();
	}
	largest = partial[0];
	__syncthreads();
	float sum = 0.0f;
	for (int i = tid; i < classes; i += THREADS)
		sum += expf(row[i] - largest);
	partial[tid] = sum;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (tid < width)
			partial[tid] += partial[tid + width];
		__syncthreads();
	}
	if (tid == 0)
		loss[blockIdx.x] = logf(partial[0]) + largest - row[target[blockIdx.x]];
}

void run(float *loss, const float *logits, const int *target, int rows, int classes, cudaStream_t stream)
{
	cross_entropy<<<rows, THREADS, 0, stream>>>(loss, logits, target, classes);
}
