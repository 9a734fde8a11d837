// Residual add and root-mean-square normalisation in one kernel, a block a row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

constexpr int THREADS = 256;

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline void from_float(float &to, float value) { to = value; }
__device__ inline void from_float(__nv_bfloat16 &to, float value) { to = __float2bfloat16(value); }

#pragma ktune problem(rows = 16, 4096; d = 4096, 8192) value(eps = 1e-6f) \
              in(x[rows * d], weight[d]) inout(residual[rows * d]) out(y[rows * d])
template <typename T>
__global__ void rmsnorm(T *__restrict__ y, T *__restrict__ residual, const T *__restrict__ x,
                        const T *__restrict__ weight, float eps, int d)
{
	__shared__ float partial[THREADS];
	const int row = blockIdx.x;
	float squares = 0.0f;
	for (int i = threadIdx.x; i < d; i += THREADS) {
		float value = to_float(x[row * d + i]) + to_float(residual[row * d + i]);
		from_float(residual[row * d + i], value);
		squares += value * value;
	}
	partial[threadIdx.x] = squares;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			partial[threadIdx.x] += partial[threadIdx.x + width];
		__syncthreads();
	}
	const float scale = rsqrtf(partial[0] / d + eps);
	for (int i = threadIdx.x; i < d; i += THREADS) {
		float value = to_float(residual[row * d + i]);
		from_float(y[row * d + i], value * scale * to_float(weight[i]));
	}
}

void run(__nv_bfloat16 *y, __nv_bfloat16 *residual, const __nv_bfloat16 *x, const __nv_bfloat16 *weight, float eps,
         int rows, int d, cudaStream_t stream)
{
	rmsnorm<__nv_bfloat16><<<rows, THREADS, 0, stream>>>(y, residual, x, weight, eps, d);
}

void run(float *y, float *residual, const float *x, const float *weight, float eps, int rows, int d, cudaStream_t stream)
{
	rmsnorm<float><<<rows, THREADS, 0, stream>>>(y, residual, x, weight, eps, d);
}
