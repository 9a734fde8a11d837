// Many products of small matrices, a thread an element of a result.
#include <cuda_runtime.h>

#pragma ktune problem((batch, n) = (256, 32), (16384, 32)) in(a[batch * n * n], b[batch * n * n]) out(c[batch * n * n]) \
              flops(2 * batch * n * n * n) tolerance(abs = 1e-4, rel = 1e-4)
__global__ void batched_gemm(float *c, const float *a, const float *b, int n)
{
	const float *left = a + (size_t)blockIdx.z * n * n;
	const float *right = b + (size_t)blockIdx.z * n * n;
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	if (row < n && column < n) {
		float sum = 0.0f;
		for (int k = 0; k < n; k++)
			sum += left[row * n + k] * right[k * n + column];
		c[(size_t)blockIdx.z * n * n + row * n + column] = sum;
	}
}

void run(float *c, const float *a, const float *b, int batch, int n, cudaStream_t stream)
{
	batched_gemm<<<dim3((n + 15) / 16, (n + 15) / 16, batch), dim3(16, 16), 0, stream>>>(c, a, b, n);
}
