#ifndef OUTER_H
#define OUTER_H
#pragma ktune problem(n = 64) out(y[n])
__global__ void outer(float *y, int n) { y[threadIdx.x] = n; }
#endif
