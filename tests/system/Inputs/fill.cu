// A template kernel with two instances; the block size is a template parameter.
#include <cuda_fp16.h>

#pragma ktune problem(n = 65536) out(y[n]) value(v = 3) tune(BLOCK = 64, 128, 256) \
    grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T, int BLOCK>
__global__ void fill(T *y, int v, int n)
{
	int at = blockIdx.x * BLOCK + threadIdx.x;
	if (at < n)
		y[at] = T(v);
}

void run_fill(float *y, int n, cudaStream_t stream)
{
	fill<float, 128><<<(n + 127) / 128, 128, 0, stream>>>(y, 3, n);
}

void run_fill(__half *y, int n, cudaStream_t stream)
{
	fill<__half, 128><<<(n + 127) / 128, 128, 0, stream>>>(y, 3, n);
}
