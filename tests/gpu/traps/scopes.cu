// A kernel in nested namespaces, called qualified, unqualified, through a directive, and one that is a class's friend.
// entry: k WIDTH=64
// entry: friendly BLOCK=64
// expect: k variant=3 original=0
// expect: friendly variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
class Box
{
	static constexpr int secret = 3;
	friend __global__ void friendly(float *y, int n);
};
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void friendly(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 3;
}
namespace ops
{
inline namespace v1
{
__device__ float twice(float a) { return a * 2; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] = twice(y[i]) + 1;
}
} // namespace v1
void inside(float *y, int n) { k<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n); }
} // namespace ops
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	ops::inside(y, n);
	::ops::v1::k<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
	{
		using namespace ops;
		k<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
	}
	friendly<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	show("y", y, n);
}
