// Default arguments, of the function and of the template, that stand in a header.
// entry: k BLOCK=64
// expect: k variant=2 original=0
#include "header_defaults.h"
#include "trap.h"
#define BLOCK 128
namespace ops
{
#pragma ktune problem(n = 1000) inout(y[n]) value(a = 2) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T> __global__ void k(T *y, int n, T a)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] *= a;
}
} // namespace ops
int main()
{
	float *y = filled<float>(1000);
	ops::k<<<8, BLOCK>>>(y);
	ops::k<><<<8, BLOCK>>>(y, 900 + 100);
	show("y", y, 1000);
}
