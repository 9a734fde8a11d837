#include "merge_attn_states.h"

#include <algorithm>

#include "../common/types.cuh"

// One element a thread and step; what a row has in common is computed for each of its elements.
#pragma ktune problem(tokens = 16, 256, 4096; (heads, head_dim) = (32, 256), (64, 128)) \
              in(v_a[tokens * heads * head_dim], v_b[tokens * heads * head_dim]) \
              in(s_a[tokens * heads] : uniform(-4, 4), s_b[tokens * heads] : uniform(-4, 4)) \
              out(v[tokens * heads * head_dim], s[tokens * heads])
template <typename T>
__global__ void merge_attn_states_kernel(T *v, float *s, const T *v_a, const float *s_a, const T *v_b, const float *s_b,
                                         int64_t tokens, int64_t heads, int64_t head_dim)
{
	const int64_t count = tokens * heads * head_dim;
	const int64_t step = int64_t(gridDim.x) * blockDim.x;
	for (int64_t idx = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < count; idx += step) {
		const int64_t row = idx / head_dim;
		const int64_t dim = idx % head_dim;
		const float largest = fmaxf(s_a[row], s_b[row]);
		const float weight_a = exp2f(s_a[row] - largest);
		const float weight_b = exp2f(s_b[row] - largest);
		const float sum = weight_a + weight_b;
		// The row's first thread writes what there is one of.
		if (dim == 0)
			s[row] = largest + log2f(sum);
		const float a = to_float(v_a[row * head_dim + dim]) * (weight_a / sum);
		const float b = to_float(v_b[row * head_dim + dim]) * (weight_b / sum);
		from_float(v[row * head_dim + dim], a + b);
	}
}

void merge_attn_states(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b, const float *s_b,
                       int64_t tokens, int64_t heads, int64_t head_dim, cudaStream_t stream)
{
	const int64_t blocks = std::min((tokens * heads * head_dim + 255) / 256, int64_t(512));
	merge_attn_states_kernel<__half>
	    <<<blocks, 256, 0, stream>>>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim);
}

void merge_attn_states(__nv_bfloat16 *v, float *s, const __nv_bfloat16 *v_a, const float *s_a, const __nv_bfloat16 *v_b,
                       const float *s_b, int64_t tokens, int64_t heads, int64_t head_dim, cudaStream_t stream)
{
	const int64_t blocks = std::min((tokens * heads * head_dim + 255) / 256, int64_t(512));
	merge_attn_states_kernel<__nv_bfloat16>
	    <<<blocks, 256, 0, stream>>>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim);
}
