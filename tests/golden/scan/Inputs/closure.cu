#ifndef FACTOR
#define FACTOR 2
#endif
__device__ float helper(float a) { return a * 2; } // comment
__device__ float unrelated(float a) { return a; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = helper(n) * FACTOR; }
void run(float *y, int n) { k<<<1, 1>>>(y, n); }
