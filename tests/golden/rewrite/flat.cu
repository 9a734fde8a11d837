// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// One index a thread is a loop over all of them; the guard `if (i < n)` is its bound.
// CHECK: parameter BLOCK
// CHECK: parameter VEC 1 2 4
// CHECK-NOT: guard {{.*}}>=
// CHECK: strategy vectorize
// CHECK: strategy geometry
// CHECK: grid {{.*}}ceil_div(n, BLOCK * VEC * UNROLL)
// CHECK: __launch_bounds__(${BLOCK}
// CHECK: reinterpret_cast<unsigned long long>(y) % ${= VEC * 4} == 0
// CHECK: for (int i_group = ((long long)blockIdx.x * ${BLOCK} + threadIdx.x) * ${VEC};
// CHECK: pack_f32 y_pack =
// CHECK: const pack_f32 x_pack =
// CHECK: y_pack.item[lane] += a * x_pack.item[lane];
// CHECK: ${end}
// CHECK: for (int i = ${if VEC > 1}i_end + ${end}
// CHECK-NEXT: y[i] += a * x[i];
#pragma ktune problem(n = 65536) value(a = 2.0f) in(x[n]) inout(y[n])
__global__ void axpy(float *__restrict__ y, const float *__restrict__ x, float a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}
void run(float *y, const float *x, int n) { axpy<<<(n + 255) / 256, 256>>>(y, x, 2.0f, n); }
