// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Clauses and brackets: what is wrong with the text of a pragma.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:15: error: unknown clause 'probelm'
// CHECK-SAME: hint: did you mean 'problem'?
// CHECK-SAME: cu:[[#]]:23: error: clause 'name' appears twice
// CHECK-SAME: cu:[[#]]:15: note: the first is here
// CHECK-SAME: cu:[[#]]:23: error: clause 'grid' appears twice
// CHECK-SAME: cu:[[#]]:15: note: the first is here
// CHECK-SAME: cu:[[#]]:15: error: clause 'problem' needs '(' and ')'
// CHECK-SAME: hint: write problem(rows = 1, 16; d = 4096)
// CHECK-SAME: cu:[[#]]:15: error: clause 'name' is empty
// CHECK-SAME: hint: write name(identifier)
// CHECK-SAME: cu:[[#]]:21: error: expected ']' before ')'
// CHECK-SAME: cu:[[#]]:17: error: '(' is not closed
// CHECK-SAME: cu:[[#]]:23: error: expected a clause, found ')'
// CHECK-SAME: cu:[[#]]:23: error: expected a clause, found '7'
// CHECK-SAME: cu:[[#]]:15: error: unknown clause 'frobnicate'
// CHECK-SAME: hint: the clauses are listed in docs/pragma.md
// CHECK-SAME: cu:[[#]]:20: error: expected the name of a region
// CHECK-SAME: cu:[[#]]:31: error: unknown name 'n'
// CHECK-SAME: hint: known here: d
// CHECK-SAME: "has_errors":true
#pragma ktune probelm(n = 1)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name(a) name(b)
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune grid(1) global(2)
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name()
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[n)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[n]
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name(a) ) out(y[n])
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name(a) 7
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune frobnicate(n) in(x[n])
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((()))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
