// __constant__ data: named by a clause, changed between launches; the variant reads the same symbol.
// entry: k BLOCK=64
// expect: k variant=2 original=0
#include "trap.h"
#define BLOCK 128
__constant__ float table[16];
static __constant__ const int fixed_table[4] = {1, 2, 3, 4};
#pragma ktune problem(n = 1000) inout(y[n]) in(table[16]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += table[i % 16] + fixed_table[i % 4];
}
int main()
{
	float *y = filled<float>(1000), host[16];
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 16; i++)
			host[i] = static_cast<float>(i * (round + 1));
		check(cudaMemcpyToSymbol(table, host, sizeof host));
		k<<<8, BLOCK>>>(y, 1000);
	}
	show("y", y, 1000);
}
