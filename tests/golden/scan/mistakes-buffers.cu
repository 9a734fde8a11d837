// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// in, out, inout, scratch and value.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:19: error: expected '[' and the number of elements of 'x'
// CHECK-SAME: hint: write x[rows * d]
// CHECK-SAME: cu:[[#]]:20: error: expected an operand, found the end
// CHECK-SAME: cu:[[#]]:23: error: unexpected 'y'
// CHECK-SAME: hint: separate buffers with ','
// CHECK-SAME: cu:[[#]]:25: error: unknown fill 'gauss'
// CHECK-SAME: hint: a fill is uniform(a, b), normal(mean, deviation), iota, zeros, range(lo, hi), permutation, unique(lo, hi), sorted(lo, hi), offsets(mean), mask(p), choice(a, b, …), file(\"x.npy\") or like(buffer)
// CHECK-SAME: cu:[[#]]:33: error: uniform takes 2 numbers, not 1
// CHECK-SAME: hint: a fill is uniform(a, b), normal(mean, deviation), iota, zeros, range(lo, hi), permutation, unique(lo, hi), sorted(lo, hi), offsets(mean), mask(p), choice(a, b, …), file(\"x.npy\") or like(buffer)
// CHECK-SAME: cu:[[#]]:32: error: expected '(' and 2 numbers
// CHECK-SAME: hint: a fill is uniform(a, b), normal(mean, deviation), iota, zeros, range(lo, hi), permutation, unique(lo, hi), sorted(lo, hi), offsets(mean), mask(p), choice(a, b, …), file(\"x.npy\") or like(buffer)
// CHECK-SAME: cu:[[#]]:36: error: not a finite number
// CHECK-SAME: cu:[[#]]:33: error: the lower bound is above the upper one
// CHECK-SAME: cu:[[#]]:32: error: the deviation is negative
// CHECK-SAME: cu:[[#]]:31: error: range takes integers of at most 53 bits
// CHECK-SAME: hint: for fractions write uniform(a, b)
// CHECK-SAME: cu:[[#]]:26: error: what an out or scratch buffer holds before the call is never read: no fill
// CHECK-SAME: hint: a buffer that is read before it is written is inout(…)
// CHECK-SAME: cu:[[#]]:30: error: what an out or scratch buffer holds before the call is never read: no fill
// CHECK-SAME: hint: a buffer that is read before it is written is inout(…)
// CHECK-SAME: cu:[[#]]:20: error: the number of elements must be at least 0, not -1
// CHECK-SAME: cu:[[#]]:22: error: expected '=' and the value of 'd'
// CHECK-SAME: hint: write value(eps = 1e-6f)
// CHECK-SAME: cu:[[#]]:24: error: expected a number or an expression
// CHECK-SAME: cu:[[#]]:25: error: not a finite number
// CHECK-SAME: cu:[[#]]:25: error: integer does not fit 64 bits
// CHECK-SAME: cu:[[#]]:33: error: unknown name 'a'
// CHECK-SAME: cu:[[#]]:36: error: unknown name 'b'
// CHECK-SAME: cu:[[#]]:25: error: 'x' is a pointer, which has no integer value
// CHECK-SAME: "has_errors":true
#pragma ktune in(x)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[])
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] y[2])
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : gauss)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : uniform(1))
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : uniform)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : uniform(a, b))
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : uniform(1, 1e999))
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : uniform(2, 1))
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : normal(0, -1))
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1] : range(0, 0.5))
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune out(x[1] : zeros)
__global__ void k11(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune scratch(x[1] : iota)
__global__ void k12(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[-1])
__global__ void k13(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune value(d)
__global__ void k14(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune value(d =)
__global__ void k15(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune value(d = 1e999)
__global__ void k16(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune value(d = 9223372036854775808)
__global__ void k17(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune value(d = x)
__global__ void k18(const float *x, float *y, int d) { y[0] = x[d]; }
