// One element a thread: a chain of cheap operations and a tanh.
#include <cuda_runtime.h>

#pragma ktune problem(n = 65536, 33554432) in(x[n], a[n]) out(y[n])
__global__ void elementwise_chain(float *y, const float *x, const float *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float scaled = x[i] * a[i] + 0.5f;
		float clipped = fminf(fmaxf(scaled, -2.0f), 2.0f);
		y[i] = tanhf(clipped) * scaled;
	}
}

void run(float *y, const float *x, const float *a, int n, cudaStream_t stream)
{
	elementwise_chain<<<(n + 255) / 256, 256, 0, stream>>>(y, x, a, n);
}
