// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A quotient of the index is the same within a group that divides the divisor, and is taken once.
// CHECK: parameter NARROW 0 1
// CHECK: guard NARROW == 0 || (rows * d) <= 2147221504
// CHECK: strategy hoist
// CHECK: d % ${VEC} == 0
// CHECK: const ${if NARROW}int${else}long long${end} group_row = i_group /
// CHECK: long long row = group_row;
// CHECK: y_pack.item[lane] = x_pack.item[lane] * scale[row] + bias_pack.item[lane];
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d], scale[rows], bias[d]) out(y[rows * d])
__global__ void scale_rows(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ scale,
                           const float *__restrict__ bias, int rows, int d)
{
	const long long count = (long long)rows * d;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) {
		long long row = i / d;
		y[i] = x[i] * scale[row] + bias[i % d];
	}
}
void run(float *y, const float *x, const float *s, const float *b, int rows, int d)
{
	scale_rows<<<1024, 256>>>(y, x, s, b, rows, d);
}
