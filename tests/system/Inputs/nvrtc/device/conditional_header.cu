#include "math.cuh"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void exponentials(float *out, const float *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = exponential(in[i]);
}

void run(float *out, const float *in, int n)
{
	exponentials<<<(n + 127) / 128, 128>>>(out, in, n);
}
