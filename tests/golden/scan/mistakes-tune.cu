// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// tune: lists, ranges and their ceilings.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:20: error: expected the name of a parameter
// CHECK-SAME: cu:[[#]]:21: error: expected '=' and the values of 'A'
// CHECK-SAME: hint: write tune(BLOCK = 64, 128, 256)
// CHECK-SAME: cu:[[#]]:23: error: expected a value
// CHECK-SAME: cu:[[#]]:24: error: range is empty: 8 is above 1
// CHECK-SAME: cu:[[#]]:34: error: expected '+' or '*' after step
// CHECK-SAME: hint: write 'step +32' or 'step *2'
// CHECK-SAME: cu:[[#]]:35: error: step *1 never reaches the end of the range
// CHECK-SAME: cu:[[#]]:35: error: step +0 never reaches the end of the range
// CHECK-SAME: cu:[[#]]:24: error: a range with step * starts at 1 or above, not at 0
// CHECK-SAME: cu:[[#]]:24: error: 'A' has more than 65536 values
// CHECK-SAME: cu:[[#]]:24: warning: value 4 of 'A' appears twice
// CHECK-SAME: cu:[[#]]:24: error: not an integer: expressions have no fractions
// CHECK-SAME: cu:[[#]]:586: error: more than 64 tunable parameters
// CHECK-SAME: cu:[[#]]:20: error: 'A' is no integer macro, constant or template parameter of 'k9'
// CHECK-SAME: hint: a parameter is a macro, a constexpr or const integer, or a template parameter
// CHECK-SAME: error: 'LX' is no integer macro, constant or template parameter of 'k12'
// CHECK-SAME: hint: define it above the pragma with the value that the original has: `#define LX N`
// CHECK-SAME: "has_errors":true
#pragma ktune tune(1 = 2)
__global__ void k0(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A)
__global__ void k1(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = )
__global__ void k2(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 8..1)
__global__ void k3(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 1..8 step 2)
__global__ void k4(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 1..8 step *1)
__global__ void k5(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 1..8 step +0)
__global__ void k6(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 0..8 step *2)
__global__ void k7(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 1..70000)
__global__ void k8(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 4, 4)
__global__ void k9(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(A = 1.5)
__global__ void k10(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune tune(P0 = 1; P1 = 1; P2 = 1; P3 = 1; P4 = 1; P5 = 1; P6 = 1; P7 = 1; P8 = 1; P9 = 1; P10 = 1; P11 = 1; P12 = 1; P13 = 1; P14 = 1; P15 = 1; P16 = 1; P17 = 1; P18 = 1; P19 = 1; P20 = 1; P21 = 1; P22 = 1; P23 = 1; P24 = 1; P25 = 1; P26 = 1; P27 = 1; P28 = 1; P29 = 1; P30 = 1; P31 = 1; P32 = 1; P33 = 1; P34 = 1; P35 = 1; P36 = 1; P37 = 1; P38 = 1; P39 = 1; P40 = 1; P41 = 1; P42 = 1; P43 = 1; P44 = 1; P45 = 1; P46 = 1; P47 = 1; P48 = 1; P49 = 1; P50 = 1; P51 = 1; P52 = 1; P53 = 1; P54 = 1; P55 = 1; P56 = 1; P57 = 1; P58 = 1; P59 = 1; P60 = 1; P61 = 1; P62 = 1; P63 = 1; P64 = 1)
__global__ void k11(const float *x, float *y, int d) { y[0] = x[d]; }
#pragma ktune problem(d = 64) in(x[d]) out(y[d]) grid(ceil_div(d, LX)) block(LX) tune(LX = 8, 16)
__global__ void k12(const float *x, float *y, int d) { y[0] = x[d]; }
