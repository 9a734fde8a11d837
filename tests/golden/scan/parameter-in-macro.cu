// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":"parameter-in-macro","decline_detail":"'V' is used by the macro 'LOOP'; write it in the kernel itself"
constexpr int V = 4;
#define LOOP for (int i = 0; i < V; i++)
#pragma ktune problem(n = 64) out(p[n]) tune(V = 1, 4)
__global__ void k(float *p, int n) { LOOP p[i] = n; }
void run(float *p, int n) { k<<<1, 32>>>(p, n); }
