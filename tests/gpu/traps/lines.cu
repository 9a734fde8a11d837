// Continued lines inside launches, names and pragmas; __LINE__ and __FILE__ stay the user's.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#pragma \
    ktune problem(n = 1000) \
    inout(y[n]) value(line = 0) \
    tune(BLOCK = 64, 128)
__global__ \
void k(float *y, int n, int line = __LINE__)
{
	int i = blockIdx.x * BLO\
CK + threadIdx.x;
	if (i < n)
		y[i] += __LINE__ + line;
}
int main()
{
	float *y = filled<float>(1000);
	k <<<(1000 + BLOCK - 1) \
	    / BLOCK, \
	    BLOCK>>> \
	    (y, \
	     1000, __LINE__);
	show("y", y, 1000);
	std::printf("%d %s\n", __LINE__, std::strrchr(__FILE__, '/') != nullptr ? std::strrchr(__FILE__, '/') + 1 : __FILE__);
}
