#pragma ktune problem(n = 64) out(y[n])
__global__ void NAME(float *y, int n) { y[threadIdx.x] = n; }
#undef NAME
