#pragma once
#include "detail/config.h"
#pragma ktune problem(n = 1024) inout(y[n]) value(a = 2) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T> __global__ void scale(T *y, T a, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = twice(y[i]) * a;
}
