// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// problem: groups, tuples and their ceilings.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:24: error: expected '=' and the values of 'n'
// CHECK-SAME: hint: write problem(rows = 1, 16; d = 4096)
// CHECK-SAME: cu:[[#]]:23: error: expected the name of a problem variable
// CHECK-SAME: cu:[[#]]:26: error: expected a value
// CHECK-SAME: cu:[[#]]:33: error: expected a value, found another name
// CHECK-SAME: hint: separate names with ';'
// CHECK-SAME: cu:[[#]]:27: error: values are constants: unknown name 'd'
// CHECK-SAME: cu:[[#]]:32: error: 3 values for 2 variables
// CHECK-SAME: cu:[[#]]:32: error: expected '(' and one value a variable
// CHECK-SAME: hint: write problem((a, b) = (1, 2), (3, 4))
// CHECK-SAME: cu:[[#]]:29: error: expected '=' and tuples of values
// CHECK-SAME: cu:[[#]]:27: error: 'n' has more than 4096 values
// CHECK-SAME: cu:[[#]]:23: error: more than 4096 problems in the cross product
// CHECK-SAME: cu:[[#]]:157: error: more than 16 problem variables
// CHECK-SAME: "has_errors":true
#pragma ktune problem(n)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(= 1)
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(n =)
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(rows = 1, d = 2)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(n = d)
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem((a, b) = (1, 2, 3))
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem((a, b) = 1)
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem((a, b))
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(n = 1..5000)
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(a = 1..100; b = 1..100)
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(v0 = 1; v1 = 1; v2 = 1; v3 = 1; v4 = 1; v5 = 1; v6 = 1; v7 = 1; v8 = 1; v9 = 1; v10 = 1; v11 = 1; v12 = 1; v13 = 1; v14 = 1; v15 = 1; v16 = 1)
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
