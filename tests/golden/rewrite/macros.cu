// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What a macro writes is written, and where a macro asks for a thread's place it is asked for.
// CHECK: template of 0
// CHECK: guard disjoint(x, n, y, n)
// CHECK: y_pack = ${if STREAM > 1}
// CHECK: ADD(y_pack.item[lane], NEG(x_pack.item[lane]));
// CHECK: *reinterpret_cast<pack_f32 *>(y + i_group) = y_pack;
// CHECK: declined {{shape|geometry-used}} line [[# @LINE + 18]]
// CHECK: declined body-unread line [[# @LINE + 22]]
#define ADD(a, b) a += b
#define NEG(a) -(a)
#define WARPS (blockDim.x / 32)
#pragma ktune problem(n = 64) inout(y[n]) in(x[n])
__global__ void adds(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		ADD(y[i], NEG(x[i]));
	}
}
void run(float *y, const float *x, int n) { adds<<<(n + 63) / 64, 64>>>(y, x, n); }
#pragma ktune problem(n = 64) out(y[n])
__global__ void counts(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] = WARPS;
}
void run2(float *y, int n) { counts<<<(n + 63) / 64, 64>>>(y, n); }
#pragma ktune problem(n = 64) out(y[n])
__global__ void whole(float *y, int n)
{
	const uint3 t = threadIdx;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = t.x;
}
void run3(float *y, int n) { whole<<<(n + 63) / 64, 64>>>(y, n); }
