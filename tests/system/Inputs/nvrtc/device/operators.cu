#include "vec.h"

#define BLOCK 128

#pragma ktune problem(n = 65536, 1048576) in(in[n]) out(out[n]) tune(BLOCK = 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void blend(float *out, const float *in, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n) {
		Vec3 a{in[i], 1.0f, 2.0f}, b{0.5f, in[i], 0.25f};
		Vec3 c = a + 0.5f * b;
		out[i] = c.x + c.y + c.z;
	}
}

void run(float *out, const float *in, int n)
{
	blend<<<(n + 127) / 128, 128>>>(out, in, n);
}
