#include "dispatch.h"

REGISTER(halves)

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void halves(float *out, const float *in, int n)
{
	Pack<float, 1> pack;
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n) {
		pack.values[0] = half_of(in[i]);
		out[i] = pack.values[0];
	}
}

void run(float *out, const float *in, int n)
{
	halves<<<(n + 127) / 128, 128>>>(out, in, n);
}
