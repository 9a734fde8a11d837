#include "fused_add_rmsnorm.h"

#include "../device.cuh"

constexpr int RMS_BLOCK = 256;  // threads of a block; a block does a row
constexpr int RMS_VEC = 1;      // elements of one memory access
constexpr int RMS_SHUFFLE = 0;  // 1: sums go through warp shuffles; 0: a tree in shared memory
constexpr int RMS_KEEP = 0;     // 1: the row stays in shared memory between the passes; 0: it is read again

__device__ static float block_sum(float value)
{
	__shared__ float partial[RMS_BLOCK];
	if (RMS_SHUFFLE) {
		for (int distance = 16; distance > 0; distance /= 2)
			value += __shfl_xor_sync(0xffffffffu, value, distance);
		if (threadIdx.x % 32 == 0)
			partial[threadIdx.x / 32] = value;
		__syncthreads();
		value = 0.0f;
		for (int warp = 0; warp < RMS_BLOCK / 32; warp++)
			value += partial[warp];
	} else {
		partial[threadIdx.x] = value;
		__syncthreads();
		for (int width = RMS_BLOCK / 2; width > 0; width /= 2) {
			if (int(threadIdx.x) < width)
				partial[threadIdx.x] += partial[threadIdx.x + width];
			__syncthreads();
		}
		value = partial[0];
	}
	return value;
}

#pragma ktune problem(rows = 1, 64, 4096; d = 4096, 8192) \
              inout(residual[rows * d]) in(x[rows * d], weight[d]) out(y[rows * d]) value(eps = 1e-6f) \
              tune(RMS_BLOCK = 64, 128, 256, 512, 1024) \
              tune(RMS_VEC = 1, 2, 4, 8) \
              tune(RMS_SHUFFLE = 0, 1) \
              tune(RMS_KEEP = 0, 1) \
              restriction(d % RMS_VEC == 0) \
              restriction(RMS_KEEP * d * 4 <= 40960) \
              guard(aligned(x, 2 * RMS_VEC) && aligned(residual, 2 * RMS_VEC)) \
              guard(aligned(y, 2 * RMS_VEC) && aligned(weight, 2 * RMS_VEC)) \
              grid(rows) block(RMS_BLOCK) smem(RMS_KEEP * d * 4) \
              tolerance(abs = 2e-3, rel = 1e-2) \
              bytes(rows * d * 8 + d * 2)
template <typename T>
__global__ void fused_add_rmsnorm_kernel(T *__restrict__ y, T *__restrict__ residual, const T *__restrict__ x,
                                         const T *__restrict__ weight, float eps, int d)
{
	using access = pack<T, RMS_VEC>;
	extern __shared__ float row[];
	size_t begin = size_t(blockIdx.x) * d;
	float squares = 0.0f;
	for (int i = threadIdx.x * RMS_VEC; i < d; i += RMS_BLOCK * RMS_VEC) {
		access a = *reinterpret_cast<const access *>(x + begin + i);
		access b = *reinterpret_cast<const access *>(residual + begin + i);
#pragma unroll
		for (int j = 0; j < RMS_VEC; j++) {
			b.item[j] = from_float<T>(to_float(a.item[j]) + to_float(b.item[j]));
			float value = to_float(b.item[j]);
			if (RMS_KEEP)
				row[i + j] = value;
			squares += value * value;
		}
		*reinterpret_cast<access *>(residual + begin + i) = b;
	}
	float scale = rsqrtf(block_sum(squares) / float(d) + eps);
	for (int i = threadIdx.x * RMS_VEC; i < d; i += RMS_BLOCK * RMS_VEC) {
		access w = *reinterpret_cast<const access *>(weight + i);
		access result;
		if (RMS_KEEP) {
#pragma unroll
			for (int j = 0; j < RMS_VEC; j++)
				result.item[j] = from_float<T>(row[i + j] * scale * to_float(w.item[j]));
		} else {
			access b = *reinterpret_cast<const access *>(residual + begin + i);
#pragma unroll
			for (int j = 0; j < RMS_VEC; j++)
				result.item[j] = from_float<T>(to_float(b.item[j]) * scale * to_float(w.item[j]));
		}
		*reinterpret_cast<access *>(y + begin + i) = result;
	}
}

void fused_add_rmsnorm(__half *y, __half *residual, const __half *x, const __half *weight, float eps, int rows, int d,
                       cudaStream_t stream)
{
	fused_add_rmsnorm_kernel<__half><<<rows, RMS_BLOCK, 0, stream>>>(y, residual, x, weight, eps, d);
}

void fused_add_rmsnorm(__nv_bfloat16 *y, __nv_bfloat16 *residual, const __nv_bfloat16 *x, const __nv_bfloat16 *weight,
                       float eps, int rows, int d, cudaStream_t stream)
{
	fused_add_rmsnorm_kernel<__nv_bfloat16><<<rows, RMS_BLOCK, 0, stream>>>(y, residual, x, weight, eps, d);
}

void fused_add_rmsnorm_broken(__half *y, __half *residual, const __half *x, const __half *weight, float eps, int rows,
                              int d)
{
	fused_add_rmsnorm_kernel<__half><<<rows, RMS_BLOCK, 512>>>(y, residual, x, weight, eps, d);
}
