// What header_twins shares.
#ifndef HEADER_TWINS_CUH
#define HEADER_TWINS_CUH
#include <cuda_runtime.h>
#define BLOCK 192
namespace twins
{
inline int &calls()
{
	static int count;
	return count;
}
#pragma ktune problem(n = 1000) inout(y[n]) value(a = 2) tune(BLOCK = 32, 64, 128, 256) grid(ceil_div(n, BLOCK)) \
    block(BLOCK)
template <typename T> __global__ void scale(T *y, T a, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * a + T(1);
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 32, 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
static __global__ void shift(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] -= 7;
}
// One of the two units' bodies is linked.
inline void scale_all(float *y, int n)
{
	calls()++;
	scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, 2.0f, n);
}
static inline void shift_all(float *y, int n)
{
	calls()++;
	shift<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
}
} // namespace twins
#endif
