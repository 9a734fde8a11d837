// Part of header_nested: launches a kernel of another header.
#pragma once
#include "deep/kernel.cuh"
inline void fill_all(float *y, int n)
{
	fill<<<blocks_of(n, BLOCK), BLOCK>>>(y, 3.0f, n);
}
