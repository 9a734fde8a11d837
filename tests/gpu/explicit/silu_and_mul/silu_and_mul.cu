#include "silu_and_mul.h"

#include "../device.cuh"

#define SILU_BLOCK 256 // threads of a block
#define SILU_VEC 1     // elements of one memory access
#define SILU_SPLIT 1   // blocks that share a row

#pragma ktune problem(rows = 1, 64, 4096; d = 4096, 11008) \
              in(x[rows * 2 * d]) out(y[rows * d]) \
              tune(SILU_BLOCK = 64, 128, 256, 512, 1024) \
              tune(SILU_VEC = 1, 2, 4, 8) \
              tune(SILU_SPLIT = 1, 2, 4) \
              restriction(d % SILU_VEC == 0) \
              guard(aligned(x, 2 * SILU_VEC) && aligned(y, 2 * SILU_VEC)) \
              grid(rows, SILU_SPLIT) block(SILU_BLOCK) \
              bytes(rows * d * 6)
template <typename T> __global__ void silu_and_mul_kernel(T *__restrict__ y, const T *__restrict__ x, int d)
{
	using access = pack<T, SILU_VEC>;
	const T *gate = x + size_t(blockIdx.x) * 2 * d;
	const T *up = gate + d;
	T *out = y + size_t(blockIdx.x) * d;
	int first = (blockIdx.y * blockDim.x + threadIdx.x) * SILU_VEC;
	int step = gridDim.y * blockDim.x * SILU_VEC;
	for (int i = first; i < d; i += step) {
		access g = *reinterpret_cast<const access *>(gate + i);
		access u = *reinterpret_cast<const access *>(up + i);
		access result;
#pragma unroll
		for (int j = 0; j < SILU_VEC; j++) {
			float value = to_float(g.item[j]);
			result.item[j] = from_float<T>(value / (1.0f + __expf(-value)) * to_float(u.item[j]));
		}
		*reinterpret_cast<access *>(out + i) = result;
	}
}

void silu_and_mul(__half *y, const __half *x, int rows, int d, cudaStream_t stream)
{
	silu_and_mul_kernel<__half><<<dim3(rows, SILU_SPLIT), SILU_BLOCK, 0, stream>>>(y, x, d);
}

void silu_and_mul(__nv_bfloat16 *y, const __nv_bfloat16 *x, int rows, int d, cudaStream_t stream)
{
	silu_and_mul_kernel<__nv_bfloat16><<<dim3(rows, SILU_SPLIT), SILU_BLOCK, 0, stream>>>(y, x, d);
}

// `rows` is what a dispatcher would bind; `launched` is what the grid covers.
static void launch(__half *y, const __half *x, int rows, int launched, int d, int split, int threads)
{
	if (rows > 0)
		silu_and_mul_kernel<__half><<<dim3(launched, split), threads>>>(y, x, d);
}

void silu_and_mul_broken(silu_break what, __half *y, const __half *x, int rows, int d)
{
	launch(y, x, what == silu_break::rows ? rows + 1 : rows, rows, d, what == silu_break::grid ? 3 : 1,
	       what == silu_break::block ? 96 : 256);
}
