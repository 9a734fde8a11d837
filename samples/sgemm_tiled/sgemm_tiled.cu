#include "sgemm_tiled.h"

#define BM 16 // rows of c that a block computes
#define BN 16 // columns of c that a block computes
#define BK 16 // depth of one step
#define TM 1  // rows of c that a thread computes
#define TN 1  // columns of c that a thread computes

#pragma ktune problem((m, n, k) = (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096)) \
              in(a[m * k] : uniform(-1, 1), b[k * n] : uniform(-1, 1)) out(c[m * n]) \
              tune(BM = 16, 32, 64, 128) \
              tune(BN = 16, 32, 64, 128) \
              tune(BK = 8, 16, 32) \
              tune(TM = 1, 2, 4, 8) \
              tune(TN = 1, 2, 4, 8) \
              restriction((BM / TM) * (BN / TN) >= 64 && (BM / TM) * (BN / TN) <= 1024) \
              restriction(BM * BK % ((BM / TM) * (BN / TN)) == 0) \
              restriction(BK * BN % ((BM / TM) * (BN / TN)) == 0) \
              restriction((BM * (BK + 1) + BK * BN) * 4 <= 49152) \
              grid(ceil_div(n, BN), ceil_div(m, BM)) block((BM / TM) * (BN / TN)) \
              tolerance(abs = 1e-3, rel = 1e-4) \
              bytes((m * k + k * n + m * n) * 4) flops(2 * m * n * k)
__global__ void sgemm_tiled_kernel(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b,
                                   int m, int n, int k)
{
	constexpr int columns = BN / TN;
	constexpr int threads = (BM / TM) * columns;
	// The spare column keeps the rows of one step out of the same bank.
	__shared__ float tile_a[BM][BK + 1];
	__shared__ float tile_b[BK][BN];
	int tx = int(threadIdx.x) % columns, ty = int(threadIdx.x) / columns;
	int top = int(blockIdx.y) * BM, left = int(blockIdx.x) * BN;
	float sum[TM][TN] = {};

	for (int step = 0; step < k; step += BK) {
#pragma unroll
		for (int i = int(threadIdx.x); i < BM * BK; i += threads) {
			int row = i / BK, column = i % BK;
			bool inside = top + row < m && step + column < k;
			tile_a[row][column] = inside ? a[size_t(top + row) * k + step + column] : 0.0f;
		}
#pragma unroll
		for (int i = int(threadIdx.x); i < BK * BN; i += threads) {
			int row = i / BN, column = i % BN;
			bool inside = step + row < k && left + column < n;
			tile_b[row][column] = inside ? b[size_t(step + row) * n + left + column] : 0.0f;
		}
		__syncthreads();
#pragma unroll
		for (int depth = 0; depth < BK; depth++) {
			float from_a[TM], from_b[TN];
#pragma unroll
			for (int i = 0; i < TM; i++)
				from_a[i] = tile_a[ty + i * (BM / TM)][depth];
#pragma unroll
			for (int j = 0; j < TN; j++)
				from_b[j] = tile_b[depth][tx + j * columns];
#pragma unroll
			for (int i = 0; i < TM; i++) {
#pragma unroll
				for (int j = 0; j < TN; j++)
					sum[i][j] += from_a[i] * from_b[j];
			}
		}
		__syncthreads();
	}

#pragma unroll
	for (int i = 0; i < TM; i++) {
#pragma unroll
		for (int j = 0; j < TN; j++) {
			int row = top + ty + i * (BM / TM), column = left + tx + j * columns;
			if (row < m && column < n)
				c[size_t(row) * n + column] = sum[i][j];
		}
	}
}

void sgemm_tiled(float *c, const float *a, const float *b, int m, int n, int k, cudaStream_t stream)
{
	sgemm_tiled_kernel<<<dim3((n + BN - 1) / BN, (m + BM - 1) / BM), (BM / TM) * (BN / TN), 0, stream>>>(c, a, b, m, n,
	                                                                                                     k);
}

void sgemm_tiled_broken(float *c, const float *a, const float *b, int m, int n, int k)
{
	unsigned across = unsigned(n + 15) / 16, down = unsigned(m + 15) / 16;
	sgemm_tiled_kernel<<<dim3(across + 1, down), 256>>>(c, a, b, m, n, k);
	sgemm_tiled_kernel<<<dim3(across, down), 256, 1024>>>(c, a, b, m, n, k);
}
