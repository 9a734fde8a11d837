// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":"geometry-unknown"
int many(int n);
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }
void run(float *y, int n) { k<<<many(n), 32>>>(y, n); }
