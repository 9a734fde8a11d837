// A thousand variants of a tiled matrix product of half-precision numbers; unless FAULTS is 0 a hundred of them, by their
// parameters, are bad in thirteen ways. Tuned by tests/system/Inputs/faults.py.
#include <cuda_fp16.h>
#ifndef FAULTS
#define FAULTS 1
#endif
#define TM 4     // rows and columns of c that a thread computes; a block is 16 by 16 threads
#define TN 4
#define DEPTH 8  // of one step
#define UNROLL 2 // steps of depth in one turn of the inner loop

#pragma ktune problem((m, n, k) = (128, 256, 128), (250, 250, 256), (256, 512, 250), (384, 384, 384), (512, 512, 512), \
                      (1000, 250, 256)) in(a[m * k], b[k * n]) out(c[m * n]) \
    tune(TM = 4..8 step +1) tune(TN = 4..8 step +1) tune(DEPTH = 8..32 step +8) tune(UNROLL = 2..20 step +2) \
    grid(ceil_div(n, 16 * TN), ceil_div(m, 16 * TM)) block(256) tolerance(abs = 1e-3, rel = 1e-4) specialize(off)
__global__ void __launch_bounds__(FAULTS && (TM * 7 + TN * 3 + DEPTH / 8 + UNROLL / 2) % 10 == 0 &&
                                          (TM * 20 + TN * 4 + DEPTH / 8 - 97) % 13 == 11
                                      ? 128
                                      : 256)
    product(float *__restrict__ c, const __half *__restrict__ a, const __half *__restrict__ b, int m, int n, int k)
{
	constexpr int bad = FAULTS && (TM * 7 + TN * 3 + DEPTH / 8 + UNROLL / 2) % 10 == 0;
	constexpr int kind = bad ? (TM * 20 + TN * 4 + DEPTH / 8 - 97) % 13 + 1 : 0; // 12: fewer threads than it is launched with
	constexpr int turn = UNROLL;
	__shared__ float tile_a[DEPTH][16 * TM + 1];
	__shared__ float tile_b[kind == 10 ? 30000 : DEPTH][16 * TN]; // 10: more than a block may have
	static_assert(kind != 11, "a candidate that does not compile");
	const int tx = int(threadIdx.x) % 16, ty = int(threadIdx.x) / 16;
	const int top = int(blockIdx.y) * 16 * TM, left = int(blockIdx.x) * 16 * TN;
	const bool first = blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0;
	float sum[TM][TN] = {};

	for (int step = 0; step < k; step += DEPTH) {
#pragma unroll
		for (int i = int(threadIdx.x); i < 16 * TM * DEPTH; i += 256) {
			const int row = top + i / DEPTH, column = step + i % DEPTH;
			tile_a[i % DEPTH][i / DEPTH] = row < m && column < k ? __half2float(a[size_t(row) * k + column]) : 0;
		}
#pragma unroll
		for (int i = int(threadIdx.x); i < DEPTH * 16 * TN; i += 256) {
			const int row = step + i / (16 * TN), column = left + i % (16 * TN);
			tile_b[i / (16 * TN)][i % (16 * TN)] = row < k && column < n ? __half2float(b[size_t(row) * n + column]) : 0;
		}
		if constexpr (kind != 13) // a missing barrier
			__syncthreads();
#pragma unroll turn
		for (int depth = 0; depth < DEPTH; depth++) {
			float from_a[TM], from_b[TN];
#pragma unroll
			for (int i = 0; i < TM; i++)
				from_a[i] = tile_a[depth][ty + i * 16];
#pragma unroll
			for (int j = 0; j < TN; j++)
				from_b[j] = tile_b[depth][tx + j * 16];
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
			const int row = top + ty + i * 16, column = left + tx + j * 16;
			const bool last = row == m - 1 && column == n - 1;
			if (row < m && column < n && !(kind == 1 && last)) // the tail is skipped
				c[size_t(row) * n + column] = sum[i][j] * (kind == 2 ? 1.5f : 1.0f); // wrong
		}
	}
	if constexpr (kind == 3) // one behind the end
		if (first)
			c[size_t(m) * n] = 7;
	if constexpr (kind == 4) // one before the start
		if (first)
			c[-1] = 7;
	if constexpr (kind == 5) // an input is changed
		if (first)
			const_cast<__half *>(a)[0] = __float2half(7);
	if constexpr (kind == 6) // illegal address
		if (first)
			*reinterpret_cast<float *>(reinterpret_cast<size_t>(c) + (size_t(1) << 46)) = 1;
	if constexpr (kind == 7) // endless: no element is the largest number
		while (*reinterpret_cast<volatile const unsigned short *>(a) != 0x7bff)
			;
	if constexpr (kind == 8) // trap
		__trap();
	if constexpr (kind == 9) // misaligned address
		if (first)
			*reinterpret_cast<double *>(reinterpret_cast<char *>(c) + 4) = 1;
}

void run(float *c, const __half *a, const __half *b, int m, int n, int k)
{
	product<<<dim3((n + 63) / 64, (m + 63) / 64), 256>>>(c, a, b, m, n, k);
}
