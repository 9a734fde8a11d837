// `using ops::k;` and a namespace alias.
// entry: k BLOCK=64
// expect: k variant=2 original=0
#include "trap.h"
#define BLOCK 128
namespace ops
{
namespace detail
{
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 2 + 1;
}
} // namespace detail
using detail::k;
} // namespace ops
namespace alias = ops::detail;
void direct(float *y, int n) { alias::k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }
void through(float *y, int n)
{
	using ops::k;
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
}
int main()
{
	float *y = filled<float>(1000);
	direct(y, 1000);
	through(y, 1000);
	show("y", y, 1000);
}
