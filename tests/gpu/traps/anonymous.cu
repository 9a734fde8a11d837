// Types and kernels in an anonymous namespace.
// entry: k BLOCK=64
// entry: t WIDTH=64
// expect: k variant=1 original=0
// expect: t variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
namespace
{
struct Plus {
	__device__ float operator()(float a) const { return a + 1; }
};
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = Plus()(y[i]);
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
template <typename F> __global__ void t(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] = F()(y[i]);
}
} // namespace
int main()
{
	float *y = filled<float>(1000);
	k<<<8, BLOCK>>>(y, 1000);
	t<Plus><<<8, WIDTH>>>(y, 1000);
	show("y", y, 1000);
}
