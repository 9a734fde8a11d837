#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "tensor.h"
#include "utils.cuh"

namespace cg = cooperative_groups;

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void warp_sums(float *out, const float *in, int n)
{
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
	int i = blockIdx.x * BLOCK + threadIdx.x;
	float sum = cg::reduce(warp, i < n ? in[i] : 0.0f, cg::plus<float>());
	if (i < n)
		out[i] = sum + utils::warp_sum(1.0f);
}

void run(float *out, const float *in, int n)
{
	warp_sums<<<(n + 127) / 128, 128>>>(out, in, n);
}
