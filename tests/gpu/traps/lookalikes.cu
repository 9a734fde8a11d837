// Comments, strings and raw strings that look like launches, pragmas and the parameter.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
// #pragma ktune problem(n = 1) tune(BLOCK = 1)
/*
#pragma ktune problem(n = 2)
k<<<1, 2>>>(nothing);
*/
static const char *const text = R"x(
#pragma ktune problem(n = 3)
__global__ void k(float *y, int n) { k<<<3, BLOCK>>>(y, n); }
)x" "k<<<4, BLOCK>>>(y, n); // not a comment" u8R"(/*)";
#pragma ktune /* a comment */ problem(n = 1000) inout(y[n]) \
    tune(BLOCK = 64, 128) // ends here
__global__ void k(float *y, int n)
{
	const char *say = "BLOCK */ \" k<<<"; // BLOCK
	const char quote = '"', other = '\'';
	int i = blockIdx.x * BLOCK /* BLOCK */ + threadIdx.x;
	if (i < n)
		y[i] += say[0] + quote - other + 1'000;
}
int main()
{
	float *y = filled<float>(1000);
	k /* k<<<9, 9>>>(0) */ <<< /* >>> */ (1000 + BLOCK - 1) / BLOCK, // >>>(
	    BLOCK>>> /* ( */ (y, 1000);
	show("y", y, 1000);
	std::printf("%zu\n", std::strlen(text));
}
