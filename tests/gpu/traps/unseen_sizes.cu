// Sizes that were never tuned and break a restriction or a guard.
// entry: k BLOCK=64 VEC=4
// expect: k variant=1 original=3 \(guard=3
#include "trap.h"
#define BLOCK 128
#define VEC 1
#pragma ktune problem(n = 1024, 4096) in(x[n]) out(y[n]) tune(BLOCK = 64, 128; VEC = 1, 2, 4) \
    restriction(n % VEC == 0) guard(disjoint(x, n, y, n) && n >= 16) grid(ceil_div(n, BLOCK * VEC)) block(BLOCK)
__global__ void k(float *y, const float *x, int n)
{
	int first = (blockIdx.x * BLOCK + threadIdx.x) * VEC;
#if VEC > 1
	if (first < n)
		for (int i = 0; i < VEC; i++)
			y[first + i] = x[first + i] * 2;
#else
	if (first < n)
		y[first] = x[first] * 2;
#endif
}
int main()
{
	float *x = filled<float>(4096), *y = filled<float>(4096);
	k<<<(4096 + 127) / 128, 128>>>(y, x, 4096);
	show("y", y, 4096);
	k<<<(1023 + 127) / 128, 128>>>(y, x, 1023);
	show("y", y, 4096);
	k<<<1, 128>>>(y, x, 8);
	show("y", y, 4096);
	k<<<(1024 + 127) / 128, 128>>>(x, x, 1024);
	show("x", x, 4096);
}
