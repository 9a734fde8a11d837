// Part of header_system.
#ifndef MIX_CUH
#define MIX_CUH
#include "mix_constants.h"
namespace lib
{
namespace
{
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void mix(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, unused = n;
	if (i < n)
		y[i] = MIX_A * y[i] + MIX_B;
}
} // namespace
inline void mix_all(float *y, int n)
{
	int unused = n;
	mix<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
}
} // namespace lib
#endif
