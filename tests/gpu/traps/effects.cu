// Launch expressions with effects and with temporaries: evaluated once, in the order that a launch has.
// entry: k BLOCK=64
// expect: k variant=3 original=0
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
static int calls;
static int counted(int n)
{
	calls++;
	return n;
}
struct Holder {
	float *p;
	operator float *() const { return p; }
};
int main()
{
	int n = 1000, m = 999;
	float *y = filled<float>(n);
	Holder h = {y};
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(h, counted(n));
	k<<<(m++ + BLOCK - 1) / BLOCK, BLOCK>>>(y, m);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, m += 0);
	show("y", y, n);
	std::printf("%d %d\n", calls, m);
}
