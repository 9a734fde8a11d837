// A plain kernel, one pragma line, no parameter.
#include <cuda_runtime.h>

#pragma ktune problem(rows = 16, 4096; d = 4096, 4099) in(x[rows * 2 * d]) out(y[rows * d])
template <typename T> __global__ void silu(T *y, const T *x, int d)
{
	const long row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		float gate = x[row * 2 * d + i], up = x[row * 2 * d + d + i];
		y[row * d + i] = gate / (1.0f + expf(-gate)) * up;
	}
}

cudaError_t run(float *y, const float *x, int rows, int d, cudaStream_t stream)
{
	silu<<<rows, 256, 0, stream>>>(y, x, d);
	return cudaGetLastError();
}
