// Two attentions over two parts of the keys become one over all of them. v is [tokens, heads, head_dim], s the base-2
// logarithm of each row's sum of weights, [tokens, heads]:
//
//   s = log2(2^s_a + 2^s_b)        v = (v_a * 2^s_a + v_b * 2^s_b) / 2^s
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

void merge_attn_states(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b, const float *s_b,
                       int64_t tokens, int64_t heads, int64_t head_dim, cudaStream_t stream);
void merge_attn_states(__nv_bfloat16 *v, float *s, const __nv_bfloat16 *v_a, const float *s_a, const __nv_bfloat16 *v_b,
                       const float *s_b, int64_t tokens, int64_t heads, int64_t head_dim, cudaStream_t stream);
