#include "both.h"

#define BLOCK 128

namespace project {
#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void norms(float *out, const float *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		out[i] = norm(in[i], in[(i + 1) % n]);
}
} // namespace project

void run(float *out, const float *in, int n)
{
	project::norms<<<(n + 127) / 128, 128>>>(out, in, n);
}
