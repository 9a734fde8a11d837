#include <cub/block/block_reduce.cuh>

#include "common.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[ceil_div(n, 128)]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void block_sums(float *out, const float *in, int n)
{
	typedef cub::BlockReduce<float, BLOCK> Reduce;
	__shared__ typename Reduce::TempStorage storage;
	int i = blockIdx.x * BLOCK + threadIdx.x;
	float sum = Reduce(storage).Sum(i < n ? in[i] : 0.0f);
	if (threadIdx.x == 0)
		out[blockIdx.x] = sum;
}

void run(float *out, const float *in, int n)
{
	block_sums<<<(n + 127) / 128, 128>>>(out, in, n);
}
