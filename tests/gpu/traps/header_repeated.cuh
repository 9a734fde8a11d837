// Part of header_repeated.
#pragma once
#define BLOCK 128
#define ENTRY(name, value) __device__ static inline float name(float x) { return x * value; }
#include "header_table.def"
#undef ENTRY
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void table(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
#define ENTRY(name, value) y[i] = name(y[i]) + 1;
#include "header_table.def"
#undef ENTRY
}
static void table_all(float *y, int n)
{
	table<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
}
#undef BLOCK
