#include <stdio.h>
#include "value.h"
#ifdef TWICE
#include "value_list.h"
#include "value_list.h"
#endif

extern "C" void stub_launched(const char *name, void **arguments)
{
	(void)arguments;
	printf("%d %s %s\n", VALUE, host_value(), name);
}
#pragma ktune problem(n = 4096) out(y[n]) tune(BLOCK = 128, 64)
#define BLOCK 128
__global__ void fill(float *y, int n)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		y[i] = VALUE;
}

int main()
{
	const int n = 4096;

	fill<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(nullptr, n);
	return 0;
}
