// Kernels in nested headers, one found from its own folder and read again by another spelling; launches in other headers.
// entry: fill BLOCK=64
// entry: grow BLOCK=128
// expect: fill variant=2 original=0
// expect: grow variant=2 original=0
#include "header_dir/launches.cuh"
#include "header_dir/deep/../deep/kernel.cuh"
#include "trap.h"
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void grow(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = grown(y[i]);
}
#include "header_dir/tail.cuh"
int main()
{
	float *y = filled<float>(1000);
	fill_all(y, 1000);
	fill<<<blocks_of(1000, BLOCK), BLOCK>>>(y, 4.0f, 1000);
	grow_all(y, 1000);
	grow<<<blocks_of(1000, BLOCK), BLOCK>>>(y, 1000);
	std::printf("%s:%d %s:%d %s\n", __FILE__, __LINE__, tail_file(), tail_line(), grown_file());
	show("y", y, 1000);
}
