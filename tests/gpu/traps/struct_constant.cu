// A constexpr member of a struct is no parameter that a variant could replace.
// stays: k
#include "trap.h"
struct Config {
	static constexpr int BLOCK = 128;
};
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * Config::BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
int main()
{
	float *y = filled<float>(1000);
	k<<<8, Config::BLOCK>>>(y, 1000);
	show("y", y, 1000);
}
