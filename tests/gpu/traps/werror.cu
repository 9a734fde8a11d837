// -Werror all-warnings with a host compiler that is asked for many.
// flags: -Werror all-warnings -Xcompiler=-Wall,-Wextra,-Wshadow,-Wconversion,-Werror -diag-suppress=1675 -Xcompiler=-Wno-unknown-pragmas
// entry: k BLOCK=64
// entry: t WIDTH=64
// expect: k variant=1 original=0
// expect: t variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, unsigned n)
{
	const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1.0f;
}
#pragma ktune problem(n = 1000) inout(y[n]) value(unused = 0) tune(WIDTH = 64, 128, 256) grid(ceil_div(n, WIDTH)) block(WIDTH)
template <typename T> __global__ void t(T *y, int n, int unused)
{
	const int i = static_cast<int>(blockIdx.x * WIDTH + threadIdx.x);
	static_cast<void>(unused);
	if (i < n)
		y[i] += T(1);
}
int main()
{
	float *y = filled<float>(1000);
	k<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 1000u);
	t<<<(1000 + WIDTH - 1) / WIDTH, WIDTH>>>(y, 1000, 0);
	show("y", y, 1000);
}
