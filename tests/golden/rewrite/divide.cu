// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Many halves, or integers, by one number: its reciprocal and two steps of Newton's make the same quotients.
#include <cuda_fp16.h>
// CHECK: template of 0
// CHECK: strategy divide
// CHECK: __device__ __forceinline__ float ${ktune:callee:22}(float dividend, float by)
// CHECK: __float2int_rn(${ktune:callee:22}(__half2float(x_pack.item[lane]), step))
#pragma ktune problem(rows = 4; d = 256) value(scale = 3.0f) in(x[rows * d]) out(q[rows * d])
__global__ void whole(signed char *__restrict__ q, const __half *__restrict__ x, int d, float scale)
{
	const size_t begin = (size_t)blockIdx.x * d;
	const float step = scale / 127.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		q[begin + i] = (signed char)__float2int_rn(__half2float(x[begin + i]) / step);
}
// CHECK: template of 1
// CHECK: strategy divide
// CHECK: const float v = in_pack.item[lane];
// CHECK: ${ktune:callee:22}(v, by)
#pragma ktune problem(n = 4096) value(by = 3.0f) in(in[n] : range(-100, 100)) out(out[n])
__global__ void bytes(int *__restrict__ out, const short *__restrict__ in, int n, float by)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const float v = in[i];
		out[i] = (int)(v / by);
	}
}
// Left as they are: a dividend that may be anything, a divisor of each element's own, one that the loop sets.
// CHECK: template of 2
// CHECK-NOT: callee:22
#pragma ktune problem(n = 4096) value(by = 3.0f) in(in[n]) in(h[n]) out(out[n])
__global__ void others(int *__restrict__ out, const float *__restrict__ in, const __half *__restrict__ h, int n, float by)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float own = by + in[i];
		out[i] = (int)(in[i] / by) + (int)(__half2float(h[i]) / own) + (int)(__half2float(h[i]) / in[i]);
	}
}
// Approximations instead where they may stand.
// CHECK: template of 3
// CHECK: __fdividef
// CHECK-NOT: callee:22
#pragma ktune problem(n = 4096) value(by = 3.0f) in(h[n]) out(out[n])
__global__ void scaled(float *__restrict__ out, const __half *__restrict__ h, int n, float by)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = __half2float(h[i]) / by;
}
void run(signed char *q, const __half *x, int rows, int d, float scale, int *o, const short *s, const float *f, float *r, int n)
{
	whole<<<rows, 256>>>(q, x, d, scale);
	bytes<<<64, 256>>>(o, s, n, scale);
	others<<<64, 256>>>(o, f, x, n, scale);
	scaled<<<64, 256>>>(r, x, n, scale);
}
