// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":"parameter-not-found"
// CHECK-SAME: error: 'BLOK' is no integer macro, constant or template parameter of 'k'
// CHECK-SAME: ^~~~
// CHECK-SAME: hint: did you mean 'BLOCK'?
// CHECK-SAME: "has_errors":true
#define BLOCK 32
#pragma ktune problem(n = 64) out(p[n]) tune(BLOK = 1, 4)
__global__ void k(float *p, int n) { p[BLOCK] = n; }
void run(float *p, int n) { k<<<1, 32>>>(p, n); }
