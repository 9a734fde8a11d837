// y = A x, a block a row.
#include <cuda_runtime.h>

constexpr int THREADS = 128;

#pragma ktune problem((rows, columns) = (512, 1024), (16384, 8192)) in(a[rows * columns], x[columns]) out(y[rows]) \
              tolerance(abs = 1e-3, rel = 1e-4)
__global__ void matvec(float *y, const float *a, const float *x, int columns)
{
	__shared__ float partial[THREADS];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += a[(size_t)blockIdx.x * columns + i] * x[i];
	partial[threadIdx.x] = sum;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			partial[threadIdx.x] += partial[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = partial[0];
}

void run(float *y, const float *a, const float *x, int rows, int columns, cudaStream_t stream)
{
	matvec<<<rows, THREADS, 0, stream>>>(y, a, x, columns);
}
