/* What __has_include finds decides what the kernel computes, and a header whose name a macro makes. */
#if __has_include("fast.h")
#define SCALE 3
#else
#define SCALE 2
#endif
#ifdef NAME
#include NAME
#else
#define MORE 0
#endif
#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(BLOCK = 128, 64)
#define BLOCK 128
__global__ void scale(float *y, const float *x, int n)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		y[i] = SCALE * x[i] + MORE;
}

void run(float *y, const float *x, int n)
{
	scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}
