// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// bind, tolerance, specialize and budget.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:42: error: expected '=' and how to compute 'rows'
// CHECK-SAME: hint: write bind(rows = expression)
// CHECK-SAME: cu:[[#]]:44: error: expected an expression for 'rows'
// CHECK-SAME: hint: write bind(rows = expression)
// CHECK-SAME: cu:[[#]]:38: error: 'row' is no problem variable
// CHECK-SAME: cu:[[#]]:48: error: 'rows' is bound twice
// CHECK-SAME: cu:[[#]]:38: note: the first is here
// CHECK-SAME: cu:[[#]]:25: error: expected a name and its number
// CHECK-SAME: cu:[[#]]:25: error: unknown name 'eps'
// CHECK-SAME: hint: write tolerance(abs = 1e-3, rel = 1e-2) or tolerance(y: abs = 1e-3)
// CHECK-SAME: cu:[[#]]:28: error: expected '=' and a number
// CHECK-SAME: hint: write tolerance(abs = 1e-3, rel = 1e-2) or tolerance(y: abs = 1e-3)
// CHECK-SAME: cu:[[#]]:31: error: 'abs' must be a number of at least 0
// CHECK-SAME: cu:[[#]]:34: error: 'abs' appears twice
// CHECK-SAME: cu:[[#]]:57: error: two tolerances for y
// CHECK-SAME: cu:[[#]]:44: error: two tolerances for all buffers
// CHECK-SAME: cu:[[#]]:34: error: 'x' is not compared: only out and inout buffers are
// CHECK-SAME: cu:[[#]]:35: error: 'q' is no buffer
// CHECK-SAME: cu:[[#]]:41: error: 'rows' is no problem variable
// CHECK-SAME: cu:[[#]]:41: error: 'off' must be alone
// CHECK-SAME: cu:[[#]]:44: error: 'd' appears twice
// CHECK-SAME: cu:[[#]]:32: error: 'seconds' must be a number above 0
// CHECK-SAME: cu:[[#]]:31: error: 'trials' must be an integer of at least 1
// CHECK-SAME: cu:[[#]]:31: error: 'trials' must be an integer of at least 1
// CHECK-SAME: cu:[[#]]:22: error: unknown name 'minutes'
// CHECK-SAME: hint: write budget(seconds = 30, trials = 500)
// CHECK-SAME: cu:[[#]]:34: error: 'trials' appears twice
// CHECK-SAME: cu:[[#]]:31: error: integer does not fit 64 bits
// CHECK-SAME: cu:[[#]]:31: error: 'trials' must be an integer of at least 1
// CHECK-SAME: "has_errors":true
#pragma ktune problem(rows = 1) bind(rows)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(rows = 1) bind(rows = )
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(rows = 1) bind(row = 2)
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(rows = 1) bind(rows = 1, rows = 2)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tolerance(1)
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tolerance(eps = 1)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tolerance(abs)
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tolerance(abs = -1)
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tolerance(abs = 1, abs = 2)
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune out(y[1]) tolerance(y: abs = 1) tolerance(y: rel = 1)
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tolerance(abs = 1) tolerance(rel = 1)
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1]) tolerance(x: abs = 1)
__global__ void k11(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune out(y[1]) tolerance(q: abs = 1)
__global__ void k12(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(d = 1) specialize(rows)
__global__ void k13(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(d = 1) specialize(off, d)
__global__ void k14(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(d = 1) specialize(d, d)
__global__ void k15(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(seconds = 0)
__global__ void k16(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(trials = 0)
__global__ void k17(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(trials = 1.5)
__global__ void k18(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(minutes = 1)
__global__ void k19(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(trials = 1, trials = 2)
__global__ void k20(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(trials = 99999999999999999999)
__global__ void k21(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune budget(trials = 1e30)
__global__ void k22(const float *x, float *y, int d) { y[0] = x[d]; }
