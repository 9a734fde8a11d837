// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Names: of a region, of two things at once, of the language itself.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:20: error: expected the name of a region
// CHECK-SAME: cu:[[#]]:21: error: unexpected '-'
// CHECK-SAME: hint: write name(identifier)
// CHECK-SAME: cu:[[#]]:20: error: name is longer than 128 bytes
// CHECK-SAME: cu:[[#]]:35: error: 'n' is a problem variable and a tunable parameter
// CHECK-SAME: cu:[[#]]:23: note: the first is here
// CHECK-SAME: cu:[[#]]:36: error: 'n' is a problem variable and a value
// CHECK-SAME: hint: an argument that is named like a problem variable needs no value
// CHECK-SAME: cu:[[#]]:23: note: the first is here
// CHECK-SAME: cu:[[#]]:30: error: 'n' is a problem variable twice
// CHECK-SAME: cu:[[#]]:23: note: the first is here
// CHECK-SAME: cu:[[#]]:28: error: 'x' is a buffer twice
// CHECK-SAME: hint: a buffer that is read and written is inout(…)
// CHECK-SAME: cu:[[#]]:18: note: the first is here
// CHECK-SAME: cu:[[#]]:20: error: 'min' is a word of the expression language, not the name of a parameter
// CHECK-SAME: cu:[[#]]:23: error: 'device' is a word of the expression language, not the name of a problem variable
// CHECK-SAME: cu:[[#]]:21: error: 'true' is a word of the expression language, not the name of an argument
// CHECK-SAME: cu:[[#]]:36: error: 'k4' has no argument 'n'
// CHECK-SAME: hint: known here: d
// CHECK-SAME: cu:[[#]]:28: error: 'x' points to const and cannot be written
// CHECK-SAME: hint: write in(x[…])
// CHECK-SAME: cu:[[#]]:35: error: 'n' is no integer macro, constant or template parameter of 'k3'
// CHECK-SAME: hint: a parameter is a macro, a constexpr or const integer, or a template parameter
// CHECK-SAME: "has_errors":true
#pragma ktune name(1)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name(a-b)
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune name(nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn)
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(n = 1) tune(n = 1, 2)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(n = 1) value(n = 1)
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(n = 1; n = 2)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune in(x[1]) out(x[1])
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(min = 1, 2)
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(device = 1)
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune value(true = 1)
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
