#include "params.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void affine(float *out, const float *in, int n)
{
	Params p;
	p.scale = 2.0f;
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = p.apply(in[i]);
}

void run(float *out, const float *in, int n)
{
	affine<<<(n + 127) / 128, 128>>>(out, in, n);
}
