// The samples of plain kernels behind C names, for tests/gpu/serving.py. Types: 0 fp32, 1 fp16, 2 bf16.
#include "../../../samples/fused_add_rmsnorm/fused_add_rmsnorm.h"
#include "../../../samples/merge_attn_states/merge_attn_states.h"
#include "../../../samples/silu_and_mul/silu_and_mul.h"

template <typename T> static void silu(void *out, const void *in, int rows, int d, void *stream)
{
	silu_and_mul(static_cast<T *>(out), static_cast<const T *>(in), rows, d, strides{2 * int64_t(d), 1},
	             strides{int64_t(d), 1}, static_cast<cudaStream_t>(stream));
}

template <typename T>
static void merge(void *v, float *s, const void *v_a, const float *s_a, const void *v_b, const float *s_b, int tokens,
                  int heads, int head_dim, void *stream)
{
	merge_attn_states(static_cast<T *>(v), s, static_cast<const T *>(v_a), s_a, static_cast<const T *>(v_b), s_b,
	                  tokens, heads, head_dim, static_cast<cudaStream_t>(stream));
}

template <typename T>
static void rmsnorm(void *y, void *residual, const void *x, const void *weight, float *scale, float eps, int rows,
                    int d, void *stream)
{
	fused_add_rmsnorm(static_cast<T *>(y), static_cast<T *>(residual), static_cast<const T *>(x),
	                  static_cast<const T *>(weight), scale, eps, rows, d, static_cast<cudaStream_t>(stream));
}

extern "C" void sample_silu(int type, void *out, const void *in, int rows, int d, void *stream)
{
	if (type == 1)
		silu<__half>(out, in, rows, d, stream);
	else
		silu<__nv_bfloat16>(out, in, rows, d, stream);
}

extern "C" void sample_merge(int type, void *v, float *s, const void *v_a, const float *s_a, const void *v_b,
                             const float *s_b, int tokens, int heads, int head_dim, void *stream)
{
	if (type == 1)
		merge<__half>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim, stream);
	else
		merge<__nv_bfloat16>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim, stream);
}

extern "C" void sample_rmsnorm(int type, void *y, void *residual, const void *x, const void *weight, float *scale,
                               float eps, int rows, int d, void *stream)
{
	if (type == 0)
		rmsnorm<float>(y, residual, x, weight, scale, eps, rows, d, stream);
	else if (type == 1)
		rmsnorm<__half>(y, residual, x, weight, scale, eps, rows, d, stream);
	else
		rmsnorm<__nv_bfloat16>(y, residual, x, weight, scale, eps, rows, d, stream);
}

extern "C" int last_error(void)
{
	return static_cast<int>(cudaGetLastError());
}
