// Layer normalisation, a block a row: mean, then variance, then the result, each from memory.
#include <cuda_runtime.h>

template <int THREADS> __device__ float block_sum(float value, float *partial)
{
	partial[threadIdx.x] = value;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			partial[threadIdx.x] += partial[threadIdx.x + width];
		__syncthreads();
	}
	float sum = partial[0];
	__syncthreads();
	return sum;
}

#pragma ktune problem(rows = 64, 8192; d = 1024, 4096) value(eps = 1e-5f) \
              in(x[rows * d], weight[d], bias[d]) out(y[rows * d], mean[rows], rstd[rows])
__global__ void layernorm(float *__restrict__ y, float *__restrict__ mean, float *__restrict__ rstd,
                          const float *__restrict__ x, const float *__restrict__ weight, const float *__restrict__ bias,
                          float eps, int d)
{
	__shared__ float partial[256];
	int row = blockIdx.x;
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[row * d + i];
	float m = block_sum<256>(sum, partial) / d;
	float squares = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		float diff = x[row * d + i] - m;
		squares += diff * diff;
	}
	float r = rsqrtf(block_sum<256>(squares, partial) / d + eps);
	if (threadIdx.x == 0) {
		mean[row] = m;
		rstd[row] = r;
	}
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[row * d + i] = (x[row * d + i] - m) * r * weight[i] + bias[i];
}

void run(float *y, float *mean, float *rstd, const float *x, const float *weight, const float *bias, float eps, int rows,
         int d, cudaStream_t stream)
{
	layernorm<<<rows, 256, 0, stream>>>(y, mean, rstd, x, weight, bias, eps, d);
}
