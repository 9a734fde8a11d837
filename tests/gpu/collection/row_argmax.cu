// The largest element of each row and where it first stands, a block a row.
#include <cuda_runtime.h>

#define THREADS 256

#pragma ktune problem((rows, d) = (16, 32000), (4096, 32000)) in(x[rows * d]) out(best[rows], where[rows])
__global__ void row_argmax(float *best, int *where, const float *x, int d)
{
	__shared__ float values[THREADS];
	__shared__ int places[THREADS];
	const float *row = x + (size_t)blockIdx.x * d;
	float value = -INFINITY;
	int place = d;
	for (int i = threadIdx.x; i < d; i += THREADS) {
		if (row[i] > value) {
			value = row[i];
			place = i;
		}
	}
	values[threadIdx.x] = value;
	places[threadIdx.x] = place;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width) {
			float other = values[threadIdx.x + width];
			int there = places[threadIdx.x + width];
			if (other > values[threadIdx.x] || (other == values[threadIdx.x] && there < places[threadIdx.x])) {
				values[threadIdx.x] = other;
				places[threadIdx.x] = there;
			}
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		best[blockIdx.x] = values[0];
		where[blockIdx.x] = places[0];
	}
}

void run(float *best, int *where, const float *x, int rows, int d, cudaStream_t stream)
{
	row_argmax<<<rows, THREADS, 0, stream>>>(best, where, x, d);
}
