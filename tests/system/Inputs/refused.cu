// Launches that a device refuses, and a variant whose launch it would take.
#include <cstdio>

#ifndef VEC
#define VEC 1
#endif

#pragma ktune problem(n = 4096; m = 2) in(x[n * m]) out(y[n * m]) tune(VEC = 1, 4) \
    grid(VEC == 1 ? ceil_div(n, 64) : max(1, ceil_div(n, 64 * VEC)), VEC == 1 ? m : min(m, 2)) block(64)
__global__ void twice(float *y, const float *x, int n, int m)
{
	for (int row = blockIdx.y; row < m; row += gridDim.y)
		for (int i = (blockIdx.x * 64 + threadIdx.x) * VEC, k = 0; k < VEC && i + k < n; k++)
			y[row * n + i + k] = 2 * x[row * n + i + k];
}

static void run(float *y, const float *x, int n, int m)
{
	std::printf("n=%d m=%d\n", n, m);
	twice<<<dim3((n + 63) / 64, m), 64>>>(y, x, n, m);
}

int main()
{
	static float x[4], y[4];

	run(y, x, 64, 1);
	run(y, x, 0, 1);
	run(y, x, 64, 0);
	run(y, x, 64, 65535);
	run(y, x, 64, 65536);
	return 0;
}
