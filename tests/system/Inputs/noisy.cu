// A region, and something to say for every front end: one warning each in the kernel and on the host.
#include "saxpy.h"
#include <cstdio>
#include <cassert>
#define BLOCK 128
#define ITEMS 1

[[deprecated("use other")]] void old_one();

static inline int unused_host(int a) { int never; return a; }

#pragma ktune problem(n = 4096) in(x[n]) inout(y[n]) value(a = 1.5f) \
    tune(BLOCK = 64, 128, 256, 512) tune(ITEMS = 1, 2, 4) \
    grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK)
__global__ void saxpy(float *y, const float *x, float a, int n)
{
	int dead = 3;
	int first = blockIdx.x * BLOCK * ITEMS + threadIdx.x;
	assert(n > 0);
	for (int i = 0; i < ITEMS; i++) {
		int at = first + i * BLOCK;
		if (at < n)
			y[at] = scale(x[at], a) + y[at];
	}
	if (n == -7)
		printf("%s:%d\n", __FILE__, __LINE__);
}

const char *where() { return __FILE__; }
int line() { return __LINE__; }

cudaError_t run_saxpy(float *y, const float *x, float a, int n, cudaStream_t stream)
{
	int idle;
	old_one();
	saxpy<<<(n + BLOCK * ITEMS - 1) / (BLOCK * ITEMS), BLOCK, 0, stream>>>(y, x, a, n);
	int later = unused_host(3);
	return cudaGetLastError();
}

