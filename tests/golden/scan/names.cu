// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Names are looked up in the signature; each mistake is said where it stands.
// CHECK: "decline":"pragma-error"
// CHECK-SAME: error: 'k' has no argument 'input'
// CHECK-SAME: hint: known here: x, y
// CHECK-SAME: error: unknown name 'row'
// CHECK-SAME: hint: did you mean 'rows'?
// CHECK-SAME: error: 'x' points to const and cannot be written
// CHECK-SAME: hint: write in(x[…])
// CHECK-SAME: error: 'd' is no pointer
// CHECK-SAME: hint: write value(d = …) for a scalar
// CHECK-SAME: error: 'y' is a pointer
// CHECK-SAME: error: unknown name 'BLOCKS'
// CHECK-SAME: "has_errors":true
#pragma ktune problem(rows = 1) in(input[rows]) out(y[row]) inout(x[rows]) inout(d[rows]) \
	value(y = 1) restriction(BLOCKS > 1)
__global__ void k(const float *x, float *y, int d) { y[0] = x[d]; }
void run(float *x, int rows) { k<<<1, 1>>>(x, x, rows); }
