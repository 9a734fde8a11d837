// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// The user's names stay theirs: types, locals, and macros that the kernel does not use.
// CHECK: template of 0 0
// CHECK: struct alignas(${= VEC * 4}) pack_f322 {
// CHECK: pack_f32 two = {2.0f};
// CHECK: const pack_f322 x_pack2 =
// CHECK: y_pack.item[lane2] = x_pack2.item[lane2] * two.value + x_pack;
#define lane (threadIdx.x % 32)
struct pack_f32 {
	float value;
};
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void names(float *__restrict__ y, const float *__restrict__ x, int n)
{
	const int x_pack = 4;
	pack_f32 two = {2.0f};
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] * two.value + x_pack;
}
void run(float *y, const float *x, int n) { names<<<4, 64>>>(y, x, n); }
