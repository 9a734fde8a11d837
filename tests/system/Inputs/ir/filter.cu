// A scan in shared memory, and a kernel with a jump: the rules have a template of neither.
#include <cuda_runtime.h>

__device__ float weight(float v, int k)
{
	return v * (float)(k + 1);
}

#pragma ktune problem(n = 65536) in(x[n], w[4]) out(y[n])
__global__ void filter(float *y, const float *x, const float *w, int n)
{
	__shared__ float tile[1024];
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	tile[threadIdx.x] = i < n ? x[i] : 0.0f;
	__syncthreads(), __threadfence_block(); // a fence, so that the space stays small: no pass changes which block does what
	for (int s = 1; s < blockDim.x; s *= 2) {
		const float other = threadIdx.x >= s ? tile[threadIdx.x - s] : 0.0f;
		__syncthreads();
		tile[threadIdx.x] += other;
		__syncthreads();
	}
	if (i < n)
		y[i] = weight(w[0], i) * tile[threadIdx.x];
}

void run(float *y, const float *x, const float *w, int n)
{
	filter<<<(n + 1023) / 1024, 1024>>>(y, x, w, n);
}
