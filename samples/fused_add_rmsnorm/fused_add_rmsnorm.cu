#include "fused_add_rmsnorm.h"

#include "../common/types.cuh"

#define BLOCK 256

// The first pass: one over the root mean square of each row of x + residual.
template <typename T>
__global__ void row_scale(float *__restrict__ scale, const T *__restrict__ residual, const T *__restrict__ x, float eps,
                          int d)
{
	__shared__ float partial[BLOCK];
	const size_t row = blockIdx.x;
	float squares = 0.0f;
	for (int i = threadIdx.x; i < d; i += BLOCK) {
		float value = to_float(x[row * d + i]) + to_float(residual[row * d + i]);
		squares += value * value;
	}
	partial[threadIdx.x] = squares;
	__syncthreads();
	for (int width = BLOCK / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			partial[threadIdx.x] += partial[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		scale[row] = rsqrtf(partial[0] / d + eps);
}

// The second pass reads everything once more.
template <typename T>
__global__ void add_and_normalise(T *__restrict__ y, T *__restrict__ residual, const T *__restrict__ x,
                                  const T *__restrict__ weight, const float *__restrict__ scale, int d)
{
	const size_t row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += BLOCK) {
		float value = to_float(x[row * d + i]) + to_float(residual[row * d + i]);
		from_float(residual[row * d + i], value);
		from_float(y[row * d + i], value * scale[row] * to_float(weight[i]));
	}
}

// One over the rows' root mean squares is needed between the two passes only, so it may vanish with the first of them.
template <typename T>
static void normalise(T *y, T *residual, const T *x, const T *weight, float *scale, float eps, int rows, int d,
                      cudaStream_t stream)
{
#pragma ktune name(fused_add_rmsnorm) problem(rows = 16, 256, 4096; d = 4096, 8192) value(eps = 1e-6f) \
              in(x[rows * d], weight[d]) inout(residual[rows * d]) out(y[rows * d]) scratch(scale[rows])
	{
		row_scale<T><<<rows, BLOCK, 0, stream>>>(scale, residual, x, eps, d);
		add_and_normalise<T><<<rows, BLOCK, 0, stream>>>(y, residual, x, weight, scale, d);
	}
}

void fused_add_rmsnorm(float *y, float *residual, const float *x, const float *weight, float *scale, float eps,
                       int rows, int d, cudaStream_t stream)
{
	normalise(y, residual, x, weight, scale, eps, rows, d, stream);
}

void fused_add_rmsnorm(__half *y, __half *residual, const __half *x, const __half *weight, float *scale, float eps,
                       int rows, int d, cudaStream_t stream)
{
	normalise(y, residual, x, weight, scale, eps, rows, d, stream);
}

void fused_add_rmsnorm(__nv_bfloat16 *y, __nv_bfloat16 *residual, const __nv_bfloat16 *x, const __nv_bfloat16 *weight,
                       float *scale, float eps, int rows, int d, cudaStream_t stream)
{
	normalise(y, residual, x, weight, scale, eps, rows, d, stream);
}
