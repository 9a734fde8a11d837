// A weighted mean over seven neighbours; the ends are copied.
#include <cuda_runtime.h>

#define RADIUS 3

#pragma ktune problem(n = 65536, 33554432) in(in[n]) out(out[n])
__global__ void stencil1d(float *__restrict__ out, const float *__restrict__ in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	if (i < RADIUS || i >= n - RADIUS) {
		out[i] = in[i];
		return;
	}
	float sum = 0.0f;
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += in[i + k] * (RADIUS + 1 - abs(k));
	out[i] = sum / ((RADIUS + 1) * (RADIUS + 1));
}

void run(float *out, const float *in, int n, cudaStream_t stream)
{
	stencil1d<<<(n + 127) / 128, 128, 0, stream>>>(out, in, n);
}
