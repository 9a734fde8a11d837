#include "silu_and_mul.h"

#include <algorithm>

#include "../common/types.cuh"

// A block does row after row, a thread every 128th element of a row.
#pragma ktune problem(B = 16, 256, 4096; (D, in_s0, out_s0) = (11008, 22016, 11008), (28672, 57344, 28672)) \
              value(in_s1 = 1, out_s1 = 1) in(in[B * in_s0]) out(out[B * out_s0]) \
              restriction(2 * D * in_s1 <= in_s0 && D * out_s1 <= out_s0) bytes(B * D * 6)
template <typename T>
__global__ void silu_and_mul_kernel(T *__restrict__ out, const T *__restrict__ in, int64_t B, int64_t D, int64_t in_s0,
                                    int64_t in_s1, int64_t out_s0, int64_t out_s1)
{
	for (int64_t b = blockIdx.x; b < B; b += gridDim.x) {
		for (int64_t d = threadIdx.x; d < D; d += blockDim.x) {
			float gate = to_float(in[b * in_s0 + d * in_s1]);
			float up = to_float(in[b * in_s0 + (D + d) * in_s1]);
			float silu = gate / (1.0f + expf(-gate));
			from_float(out[b * out_s0 + d * out_s1], silu * up);
		}
	}
}

void silu_and_mul(__half *out, const __half *in, int64_t B, int64_t D, strides from, strides to, cudaStream_t stream)
{
	const int64_t blocks = std::min(B, int64_t(256));
	silu_and_mul_kernel<__half><<<blocks, 128, 0, stream>>>(out, in, B, D, from.s0, from.s1, to.s0, to.s1);
}

void silu_and_mul(__nv_bfloat16 *out, const __nv_bfloat16 *in, int64_t B, int64_t D, strides from, strides to,
                  cudaStream_t stream)
{
	const int64_t blocks = std::min(B, int64_t(256));
	silu_and_mul_kernel<__nv_bfloat16><<<blocks, 128, 0, stream>>>(out, in, B, D, from.s0, from.s1, to.s0, to.s1);
}
