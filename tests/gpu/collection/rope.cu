// Rotary position embedding in place: a block a token, a thread a pair of one head.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#pragma ktune problem(tokens = 64, 8192; (heads, head_dim) = (32, 128)) inout(x[tokens * heads * head_dim]) \
              in(cos_table[tokens * head_dim / 2], sin_table[tokens * head_dim / 2])
__global__ void rope(__nv_bfloat16 *x, const float *cos_table, const float *sin_table, int heads, int head_dim)
{
	int token = blockIdx.x;
	int half_dim = head_dim / 2;
	for (int i = threadIdx.x; i < heads * half_dim; i += blockDim.x) {
		int head = i / half_dim;
		int pair = i % half_dim;
		__nv_bfloat16 *at = x + ((size_t)token * heads + head) * head_dim;
		float a = __bfloat162float(at[pair]);
		float b = __bfloat162float(at[pair + half_dim]);
		float c = cos_table[token * half_dim + pair];
		float s = sin_table[token * half_dim + pair];
		at[pair] = __float2bfloat16(a * c - b * s);
		at[pair + half_dim] = __float2bfloat16(b * c + a * s);
	}
}

void run(__nv_bfloat16 *x, const float *cos_table, const float *sin_table, int tokens, int heads, int head_dim,
         cudaStream_t stream)
{
	rope<<<tokens, 256, 0, stream>>>(x, cos_table, sin_table, heads, head_dim);
}
