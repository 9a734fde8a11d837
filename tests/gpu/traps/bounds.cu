// __launch_bounds__ with the parameter; blocks larger than the original's bound.
// entry: k BLOCK=512
// entry: t WIDTH=512
// expect: k variant=1 original=0
// expect: t variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 512) grid(ceil_div(n, BLOCK)) block(BLOCK)
__launch_bounds__(BLOCK, 2) __global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128, 512) grid(ceil_div(n, WIDTH)) block(WIDTH)
template <int BLOCK_, typename T>
__global__ void
__launch_bounds__(WIDTH)
t(T *__restrict__ y, const int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] += BLOCK_;
}
int main()
{
	float *y = filled<float>(1000);
	k<<<8, BLOCK>>>(y, 1000);
	t<7><<<8, WIDTH>>>(y, 1000);
	show("y", y, 1000);
}
