// A variant shares static storage of the file with the original: both write the clause's symbol.
// entry: k BLOCK=64
// expect: k variant=1 original=1
#include "trap.h"
#define BLOCK 128
static __device__ int hits[1024];
#pragma ktune problem(n = 1024) in(x[n]) inout(hits[1024]) tune(BLOCK = 64, 128) guard(n % 64 == 0) \
    grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void k(const int *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		hits[i] += x[i];
}
int main()
{
	int *x = filled<int>(1024), *where = nullptr;
	k<<<8, BLOCK>>>(x, 1024);
	k<<<8, BLOCK>>>(x, 1001);
	check(cudaGetSymbolAddress(reinterpret_cast<void **>(&where), hits));
	show("hits", where, 1024);
}
