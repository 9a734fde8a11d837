#include "sgemm_tiled.h"

#define BM 16    // rows of c that a block computes
#define BN 16    // columns of c that a block computes
#define BK 16    // depth of one step
#define TM 1     // rows of c that a thread computes
#define TN 1     // columns of c that a thread computes
#define VEC 1    // elements that one access reads from a and b
#define PAD 1    // spare columns of the tile of a: they keep the rows of one step out of the same bank
#define UNROLL 1 // steps of depth in one iteration of the inner loop

// VEC elements in one access; the address must be aligned to all of them.
template <int N> struct alignas(4 * N) floats {
	float item[N];
};

#pragma ktune problem((m, n, k) = (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096)) \
              in(a[m * k] : uniform(-1, 1), b[k * n] : uniform(-1, 1)) out(c[m * n]) \
              tune(BM = 16, 32, 64, 128) \
              tune(BN = 16, 32, 64, 128) \
              tune(BK = 8, 16, 32) \
              tune(TM = 1, 2, 4, 8) \
              tune(TN = 1, 2, 4, 8) \
              tune(VEC = 1, 2, 4) \
              tune(PAD = 0, 1) \
              tune(UNROLL = 1, 4, 8) \
              restriction((BM / TM) * (BN / TN) >= 64 && (BM / TM) * (BN / TN) <= 1024) \
              restriction(BM * BK % ((BM / TM) * (BN / TN) * VEC) == 0) \
              restriction(BK * BN % ((BM / TM) * (BN / TN) * VEC) == 0) \
              restriction((BM * (BK + PAD) + BK * BN) * 4 <= 49152) \
              restriction(k % VEC == 0 && n % VEC == 0) \
              guard(aligned(a, 4 * VEC) && aligned(b, 4 * VEC)) \
              grid(ceil_div(n, BN), ceil_div(m, BM)) block((BM / TM) * (BN / TN)) \
              tolerance(abs = 1e-3, rel = 1e-4) \
              bytes((m * k + k * n + m * n) * 4) flops(2 * m * n * k)
__global__ void sgemm_tiled_kernel(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b,
                                   int m, int n, int k)
{
	constexpr int columns = BN / TN;
	constexpr int threads = (BM / TM) * columns;
	constexpr int turn = UNROLL; // a pragma's macros are not expanded
	__shared__ float tile_a[BM][BK + PAD];
	__shared__ float tile_b[BK][BN];
	int tx = int(threadIdx.x) % columns, ty = int(threadIdx.x) / columns;
	int top = int(blockIdx.y) * BM, left = int(blockIdx.x) * BN;
	float sum[TM][TN] = {};

	for (int step = 0; step < k; step += BK) {
#pragma unroll
		for (int i = int(threadIdx.x) * VEC; i < BM * BK; i += threads * VEC) {
			int row = i / BK, column = i % BK;
			bool inside = top + row < m && step + column < k;
			floats<VEC> some = {};
			if (inside)
				some = *reinterpret_cast<const floats<VEC> *>(&a[size_t(top + row) * k + step + column]);
#pragma unroll
			for (int v = 0; v < VEC; v++)
				tile_a[row][column + v] = some.item[v];
		}
#pragma unroll
		for (int i = int(threadIdx.x) * VEC; i < BK * BN; i += threads * VEC) {
			int row = i / BN, column = i % BN;
			bool inside = step + row < k && left + column < n;
			floats<VEC> some = {};
			if (inside)
				some = *reinterpret_cast<const floats<VEC> *>(&b[size_t(step + row) * n + left + column]);
#pragma unroll
			for (int v = 0; v < VEC; v++)
				tile_b[row][column + v] = some.item[v];
		}
		__syncthreads();
#pragma unroll turn
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
