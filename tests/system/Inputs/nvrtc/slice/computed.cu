#define HEADER "third.h"
#include HEADER
#ifdef OTHER_HEADER
#include OTHER_HEADER
#endif

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void thirds(float *out, const float *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = third(in[i]);
}

void run(float *out, const float *in, int n)
{
	thirds<<<(n + 127) / 128, 128>>>(out, in, n);
}
