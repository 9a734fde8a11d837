// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// grid, block, smem, bytes, flops and auto.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:29: error: grid has at most three extents
// CHECK-SAME: hint: write grid(x, y, z)
// CHECK-SAME: cu:[[#]]:21: error: an extent of the block must be at least 1, not 0
// CHECK-SAME: cu:[[#]]:20: error: an extent of the grid must be at least 1, not -1
// CHECK-SAME: cu:[[#]]:20: error: shared memory must be at least 0, not -4
// CHECK-SAME: cu:[[#]]:21: error: bytes must be at least 0, not -1
// CHECK-SAME: cu:[[#]]:21: error: flops must be at least 0, not -1
// CHECK-SAME: cu:[[#]]:20: error: expected the name of a strategy, or off
// CHECK-SAME: cu:[[#]]:20: error: 'off' must be alone
// CHECK-SAME: cu:[[#]]:28: error: 'unroll' appears twice
// CHECK-SAME: cu:[[#]]:28: error: unknown strategy 'vectorise'
// CHECK-SAME: hint: did you mean 'vectorize'?
// CHECK-SAME: cu:[[#]]:15: error: clause 'auto' is empty
// CHECK-SAME: hint: write auto, auto(off) or auto(vectorize, unroll)
// CHECK-SAME: "has_errors":true
#pragma ktune grid(1, 2, 3, 4)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune block(0)
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune grid(-1)
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune smem(-4)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune bytes(-1)
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune flops(-1)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune auto(1)
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune auto(off, unroll)
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune auto(unroll, unroll)
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune auto(unroll, vectorise)
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune auto()
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
