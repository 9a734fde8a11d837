// Parameters that are constants: constexpr at file scope, in the kernel, and as a template parameter with a default.
// entry: file BLOCK_SIZE=64
// entry: local UNROLL=4
// entry: templ BLOCK=64
// expect: file variant=1 original=0
// expect: local variant=1 original=0
// expect: templ variant=1 original=0
#include "trap.h"
constexpr unsigned BLOCK_SIZE = 128;
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK_SIZE = 64, 128) grid(ceil_div(n, BLOCK_SIZE)) block(BLOCK_SIZE)
__global__ void file(float *y, int n)
{
	__shared__ float row[BLOCK_SIZE];
	static_assert(BLOCK_SIZE % 32 == 0, "whole warps");
	unsigned i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
	row[threadIdx.x] = 1;
	if (i < n)
		y[i] += row[threadIdx.x];
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(UNROLL = 1, 2, 4) grid(8) block(128)
__global__ void local(float *y, int n)
{
	constexpr int UNROLL = 2;
	for (int first = (blockIdx.x * 128 + threadIdx.x) * UNROLL; first < n; first += 1024 * UNROLL)
#pragma unroll UNROLL
		for (int i = 0; i < UNROLL; i++)
			if (first + i < n)
				y[first + i] *= 2;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <int BLOCK = 128> __global__ void templ(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 2;
}
int main()
{
	float *y = filled<float>(1000);
	file<<<(1000 + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(y, 1000);
	local<<<8, 128>>>(y, 1000);
	templ<<<(1000 + 127) / 128, 128>>>(y, 1000);
	show("y", y, 1000);
}
