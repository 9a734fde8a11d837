// out[b][d] = silu(in[b][d]) * in[b][D + d] for `in` of shape [B, 2 * D].
// Strides count elements, as a tensor library hands them over: s0 from row to row, s1 from element to element.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct strides {
	int64_t s0, s1;
};

void silu_and_mul(__half *out, const __half *in, int64_t B, int64_t D, strides from, strides to, cudaStream_t stream);
void silu_and_mul(__nv_bfloat16 *out, const __nv_bfloat16 *in, int64_t B, int64_t D, strides from, strides to,
                  cudaStream_t stream);
