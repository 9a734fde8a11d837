// Names that ## makes, near a kernel: a helper and a constant that stand nowhere in its text.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define CALL(what, x) JOIN(helper_, what)(x)
#define OFFSET JOIN(JOIN(off, set), _3)
constexpr float offset_3 = 3;
__device__ float helper_add(float a) { return a + 1; }
__device__ float helper_sub(float a) { return a - 1; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = CALL(add, y[i]) * OFFSET;
}
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	show("y", y, n);
}
