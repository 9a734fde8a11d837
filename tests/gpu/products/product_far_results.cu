// Tiles in shared memory with bounds; a thread computes 4 x 4 results with a block between them.
#define TILE 64
#define DEEP 16

#pragma ktune problem((M, N, K) = (1024, 1024, 1024), (2048, 2000, 2040)) in(A[M * K], B[K * N]) out(C[M * N]) \
              flops(2 * M * N * K) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void __launch_bounds__(256) far_results(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int M, int N, int K)
{
	__shared__ float sa[DEEP][TILE], sb[DEEP][TILE];
	const int thread = threadIdx.y * 16 + threadIdx.x, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
	float sums[4][4] = {};

	for (int k = 0; k < K; k += DEEP) {
#pragma unroll
		for (int each = thread; each < TILE * DEEP; each += 256) {
			const int row = each / DEEP, d = each % DEEP;

			sa[d][row] = top + row < M && k + d < K ? A[(top + row) * K + k + d] : 0.0f;
		}
#pragma unroll
		for (int each = thread; each < TILE * DEEP; each += 256) {
			const int d = each / TILE, column = each % TILE;

			sb[d][column] = left + column < N && k + d < K ? B[(k + d) * N + left + column] : 0.0f;
		}
		__syncthreads();
#pragma unroll
		for (int d = 0; d < DEEP; d++) {
			float a[4], b[4];
#pragma unroll
			for (int i = 0; i < 4; i++)
				a[i] = sa[d][threadIdx.y + i * 16];
#pragma unroll
			for (int j = 0; j < 4; j++)
				b[j] = sb[d][threadIdx.x + j * 16];
#pragma unroll
			for (int i = 0; i < 4; i++)
#pragma unroll
				for (int j = 0; j < 4; j++)
					sums[i][j] += a[i] * b[j];
		}
		__syncthreads();
	}
	for (int i = 0; i < 4; i++) {
		const int row = top + threadIdx.y + i * 16;

		if (row >= M)
			continue;
		for (int j = 0; j < 4; j++) {
			const int column = left + threadIdx.x + j * 16;

			if (column < N)
				C[row * N + column] = sums[i][j];
		}
	}
}

void run_far_results(const float *A, const float *B, float *C, int M, int N, int K)
{
	far_results<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(16, 16)>>>(A, B, C, M, N, K);
}
