// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":"no-instance"
#pragma ktune problem(n = 8) out(y[n])
template <typename T> __global__ void k(T *y, int n) { y[0] = n; }
template <typename T> void run(T *y, int n) { k<T><<<1, 1>>>(y, n); }
