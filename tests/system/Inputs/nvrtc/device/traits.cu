#include "traits.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void half_relu(__half *out, const __half *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n) {
		AccumulatorOf<__half> x = __half2float(in[i]);
		out[i] = __float2half(Apply<Activation::Relu>::to(x) * Traits<__half>::width);
	}
}

void run(__half *out, const __half *in, int n)
{
	half_relu<<<(n + 127) / 128, 128>>>(out, in, n);
}
