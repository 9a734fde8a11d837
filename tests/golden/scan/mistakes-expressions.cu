// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// The expression language.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:30: error: expected an operand, found the end
// CHECK-SAME: cu:[[#]]:29: error: expected an operand, found ')'
// CHECK-SAME: cu:[[#]]:29: error: expected an operator, found 'd'
// CHECK-SAME: cu:[[#]]:29: error: expected an operator, found '='; equality is spelled '=='
// CHECK-SAME: cu:[[#]]:26: error: '(' is not closed
// CHECK-SAME: cu:[[#]]:32: error: expected ':', found the end
// CHECK-SAME: cu:[[#]]:27: error: not an integer
// CHECK-SAME: cu:[[#]]:27: error: not an integer: expressions have no fractions
// CHECK-SAME: cu:[[#]]:31: error: integer does not fit 64 bits
// CHECK-SAME: cu:[[#]]:27: error: unknown function 'pow'
// CHECK-SAME: cu:[[#]]:27: error: function min needs its arguments
// CHECK-SAME: cu:[[#]]:27: error: too few arguments: min takes at least 2
// CHECK-SAME: cu:[[#]]:37: error: too many arguments: is_pow2 takes at most 1
// CHECK-SAME: cu:[[#]]:29: error: expected the name of a pointer, found '16'
// CHECK-SAME: cu:[[#]]:31: error: expected ',' after the name of a pointer, found '+'
// CHECK-SAME: cu:[[#]]:29: error: division by zero
// CHECK-SAME: cu:[[#]]:29: error: shift by 64 is out of range
// CHECK-SAME: cu:[[#]]:47: error: overflow in '*'
// CHECK-SAME: cu:[[#]]:30: error: 'x' is a buffer: only aligned and disjoint take one
// CHECK-SAME: cu:[[#]]:29: error: 'x' is a pointer: aligned and disjoint are known at a launch only
// CHECK-SAME: hint: write it in restriction(…) or guard(…)
// CHECK-SAME: cu:[[#]]:31: error: 'device.warp' is no limit of a device
// CHECK-SAME: hint: such as device.warp_size or device.max_threads_per_block
// CHECK-SAME: cu:[[#]]:27: error: restriction never holds
// CHECK-SAME: cu:[[#]]:21: error: guard never holds
// CHECK-SAME: cu:[[#]]:28: error: expected an operator, found ','
// CHECK-SAME: cu:[[#]]:226: error: expression is nested deeper than 200 levels
// CHECK-SAME: cu:[[#]]:29: error: 'd' is no pointer argument of 'k19'
// CHECK-SAME: hint: known here: x, y
// CHECK-SAME: cu:[[#]]:27: error: unknown name 'blockDim.x'
// CHECK-SAME: "has_errors":true
#pragma ktune restriction(4 *)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction((+))
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(d d)
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(d = 64)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction((d + 1)
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(d ? 1)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(08)
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(1.5 > d)
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(d > 9223372036854775808)
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(pow(d, 3))
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(min + 1)
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(min(d))
__global__ void k11(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(is_pow2(d, 2))
__global__ void k12(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune guard(aligned(16, x))
__global__ void k13(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune guard(aligned(x + 1, 16))
__global__ void k14(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(1 / 0)
__global__ void k15(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(1 << 64)
__global__ void k16(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(9223372036854775807 * 2)
__global__ void k17(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1]) guard(x > 0)
__global__ void k18(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune guard(aligned(d, 16))
__global__ void k19(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune block(aligned(x, 16))
__global__ void k20(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(d > device.warp)
__global__ void k21(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(blockDim.x > d)
__global__ void k22(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(0)
__global__ void k23(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune guard(false)
__global__ void k24(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(d, d)
__global__ void k25(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune restriction(~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~d)
__global__ void k26(const float *x, float *y, int d) { y[0] = x[d]; }
