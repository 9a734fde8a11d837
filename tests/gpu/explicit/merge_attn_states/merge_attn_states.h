// Merges two partial attention results over disjoint sets of keys.
// v_a, v_b, v have shape [tokens, heads, head_dim]; s_a, s_b, s hold the
// log-sum-exp of each part's scores, shape [tokens, heads]. A part without keys
// has log-sum-exp -infinity.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

void merge_attn_states(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b, const float *s_b,
                       int tokens, int heads, int head_dim, cudaStream_t stream);
void merge_attn_states(__nv_bfloat16 *v, float *s, const __nv_bfloat16 *v_a, const float *s_a, const __nv_bfloat16 *v_b,
                       const float *s_b, int tokens, int heads, int head_dim, cudaStream_t stream);

// The same result from a launch with spare blocks, which a specialised kernel must not take.
void merge_attn_states_broken(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b,
                              const float *s_b, int tokens, int heads, int head_dim);
