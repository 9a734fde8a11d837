// A region whose restriction the test fills in.
#define BLOCK 128
#define VEC 1
#pragma ktune problem(n = 1000, 4096) in(x[n]) out(y[n]) tune(BLOCK = 64, 128, 256) \
	tune(VEC = 1, 2, 4) restriction(BLOCK * VEC >= 512) restriction(VEC != 3) \
	RULE
__global__ void scale(float *y, const float *x, int n)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		y[i] = 2 * x[i] * VEC / VEC;
}

void run(float *y, const float *x, int n)
{
	scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, n);
}
