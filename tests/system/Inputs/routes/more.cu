#include "launch.h"

#pragma ktune problem(n = 4096) out(y[n]) value(with = 2) tune(WIDTH = 128, 64)
#define WIDTH 128
static __global__ void twice(float *y, int n, float with)
{
	for (int i = blockIdx.x * WIDTH + threadIdx.x; i < n; i += gridDim.x * WIDTH)
		y[i] = 2 * with;
}

void more(float *y, int n)
{
	launch(twice, params((n + WIDTH - 1) / WIDTH, WIDTH, 0, 0), y, n, 2.0f);
}
