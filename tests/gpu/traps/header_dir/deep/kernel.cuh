// Part of header_nested: no newline behind the kernel.
#pragma once
#include "helper.h"
#pragma ktune problem(n = 1000) inout(y[n]) value(a = 3) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) \
    block(BLOCK)
template <typename T> __global__ void fill(T *y, T a, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = a + grown(y[i]);
}