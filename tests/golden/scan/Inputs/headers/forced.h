#pragma ktune problem(n = 64) out(y[n])
__global__ void in_forced(float *y, int n) { y[threadIdx.x] = n; }
