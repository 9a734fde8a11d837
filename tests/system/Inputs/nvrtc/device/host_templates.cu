#include "launch.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void negate_kernel(float *out, const float *in, int n)
{
	int i = launch::global_thread();
	if (i < n)
		out[i] = -in[i];
}

void negate(float *out, const float *in, int n)
{
	launch::run(launch::linear(n, 128), negate_kernel, out, in, n);
}

void run(float *out, const float *in, int n)
{
	negate_kernel<<<(n + 127) / 128, 128>>>(out, in, n);
}
