#include "merge_attn_states.h"

#include "../device.cuh"

// BLOCK threads of a block, VEC elements of one memory access, ITEMS accesses of a thread.
#pragma ktune name(merge_attn_states) \
              problem(tokens = 1, 64, 4096; heads = 32; head_dim = 128) \
              in(v_a[tokens * heads * head_dim], v_b[tokens * heads * head_dim]) \
              in(s_a[tokens * heads] : uniform(-4, 4), s_b[tokens * heads] : uniform(-4, 4)) \
              out(v[tokens * heads * head_dim], s[tokens * heads]) \
              tune(BLOCK = 64, 128, 256, 512, 1024) \
              tune(VEC = 1, 2, 4, 8) \
              tune(ITEMS = 1, 2, 4, 8) \
              restriction(head_dim % VEC == 0) \
              guard(aligned(v, 2 * VEC) && aligned(v_a, 2 * VEC) && aligned(v_b, 2 * VEC)) \
              grid(ceil_div(tokens * heads * head_dim, BLOCK * VEC * ITEMS)) block(BLOCK) \
              tolerance(abs = 1e-3, rel = 1e-2) \
              bytes(tokens * heads * (head_dim * 6 + 12))
template <typename T, int BLOCK, int VEC, int ITEMS>
__global__ void merge_attn_states_kernel(T *__restrict__ v, float *__restrict__ s, const T *__restrict__ v_a,
                                         const float *__restrict__ s_a, const T *__restrict__ v_b,
                                         const float *__restrict__ s_b, int tokens, int heads, int head_dim)
{
	using access = pack<T, VEC>;
	long long count = (long long)tokens * heads * head_dim;
	long long first = (long long)blockIdx.x * BLOCK * VEC * ITEMS;
#pragma unroll
	for (int item = 0; item < ITEMS; item++) {
		long long at = first + (item * BLOCK + threadIdx.x) * VEC;
		if (at >= count)
			break;
		long long row = at / head_dim;
		float lse_a = s_a[row], lse_b = s_b[row];
		float largest = fmaxf(lse_a, lse_b);
		// Two empty parts: nothing to weigh, and infinity minus infinity is no number.
		float weight_a = largest == -INFINITY ? 0.0f : __expf(lse_a - largest);
		float weight_b = largest == -INFINITY ? 0.0f : __expf(lse_b - largest);
		float sum = weight_a + weight_b;
		float scale = sum > 0.0f ? 1.0f / sum : 0.0f;
		access a = *reinterpret_cast<const access *>(v_a + at);
		access b = *reinterpret_cast<const access *>(v_b + at);
		access result;
#pragma unroll
		for (int j = 0; j < VEC; j++)
			result.item[j] = from_float<T>((to_float(a.item[j]) * weight_a + to_float(b.item[j]) * weight_b) * scale);
		*reinterpret_cast<access *>(v + at) = result;
		if (at % head_dim == 0)
			s[row] = largest + __logf(sum);
	}
}

static unsigned blocks(int tokens, int heads, int head_dim)
{
	return unsigned(((long long)tokens * heads * head_dim + 127) / 128);
}

void merge_attn_states(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b, const float *s_b,
                       int tokens, int heads, int head_dim, cudaStream_t stream)
{
	merge_attn_states_kernel<__half, 128, 1, 1>
	    <<<blocks(tokens, heads, head_dim), 128, 0, stream>>>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim);
}

void merge_attn_states(__nv_bfloat16 *v, float *s, const __nv_bfloat16 *v_a, const float *s_a, const __nv_bfloat16 *v_b,
                       const float *s_b, int tokens, int heads, int head_dim, cudaStream_t stream)
{
	merge_attn_states_kernel<__nv_bfloat16, 128, 1, 1>
	    <<<blocks(tokens, heads, head_dim), 128, 0, stream>>>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim);
}

void merge_attn_states_broken(__half *v, float *s, const __half *v_a, const float *s_a, const __half *v_b,
                              const float *s_b, int tokens, int heads, int head_dim)
{
	merge_attn_states_kernel<__half, 128, 1, 1>
	    <<<blocks(tokens, heads, head_dim) + 5, 128>>>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim);
}
