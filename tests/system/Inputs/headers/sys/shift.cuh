#ifndef SHIFT_CUH
#define SHIFT_CUH
#define SHIFT_BLOCK 256
namespace sys
{
#pragma ktune problem(n = 4096) inout(y[n]) tune(SHIFT_BLOCK = 128, 256)
static __global__ void shift(int *y, int n)
{
	int i = blockIdx.x * SHIFT_BLOCK + threadIdx.x, unused = n;
	if (i < n)
		y[i] += 1;
}
inline void shift_all(int *y, int n)
{
	shift<<<(n + SHIFT_BLOCK - 1) / SHIFT_BLOCK, SHIFT_BLOCK>>>(y, n);
}
} // namespace sys
#endif
