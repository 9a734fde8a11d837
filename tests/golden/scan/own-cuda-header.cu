// RUN: %scan %s -- -std=c++17 -I%S/Inputs/own | %FileCheck %s
// RUN: %scan %s -- -std=c++17 -I %S/Inputs/own | %FileCheck %s
// A project's own "cuda.h" comes before the toolkit's, which the compiler's headers need.
// CHECK: "decline":null
// CHECK-SAME: "grid":["(n + 96 - 1) / 96"],"block":["96"]
#include "cuda.h"
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }
void run(float *y, int n) { k<<<(n + OWN_THREADS - 1) / 96, OWN_THREADS>>>(y, n); }
