// A batch of products of halves; a thread computes four results of a column.
#include <cuda_fp16.h>

#pragma ktune problem((M, N, K) = (512, 512, 512), (1024, 1000, 1024)) in(A[2 * M * K], B[2 * K * N]) out(C[2 * M * N]) \
              flops(4 * M * N * K) tolerance(abs = 1e-2, rel = 1e-3)
__global__ void of_a_batch(const __half *A, const __half *B, float *C, int M, int N, int K)
{
	__shared__ float a[32][33], b[32][33];
	const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32 + x, pieces = (K + 31) / 32;
	float sums[4] = {0};

	A += (size_t)blockIdx.z * M * K;
	B += (size_t)blockIdx.z * K * N;
	C += (size_t)blockIdx.z * M * N;
	for (int piece = 0; piece < pieces; piece++) {
		for (int i = y; i < 32; i += 8) {
			const int row = blockIdx.y * 32 + i;

			a[i][x] = row < M && piece * 32 + x < K ? __half2float(A[row * K + piece * 32 + x]) : 0.0f;
			b[i][x] = piece * 32 + i < K && column < N ? __half2float(B[(piece * 32 + i) * N + column]) : 0.0f;
		}
		__syncthreads();
		for (int d = 0; d < 32; d++)
			for (int r = 0; r < 4; r++)
				sums[r] += a[y + r * 8][d] * b[d][x];
		__syncthreads();
	}
	for (int r = 0; r < 4; r++) {
		const int row = blockIdx.y * 32 + y + r * 8;

		if (row < M && column < N)
			C[row * N + column] = sums[r];
	}
}

void run_of_a_batch(const __half *A, const __half *B, float *C, int M, int N, int K)
{
	of_a_batch<<<dim3((N + 31) / 32, (M + 31) / 32, 2), dim3(32, 8)>>>(A, B, C, M, N, K);
}
