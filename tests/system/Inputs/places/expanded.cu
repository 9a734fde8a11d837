#define KERNEL(NAME, OP) \
	__global__ void NAME(float *y, const float *x, int n) { y[threadIdx.x] = x[threadIdx.x] OP n; }
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
KERNEL(times, *)
void run(float *y, const float *x) { times<<<1, 64>>>(y, x, 64); }
