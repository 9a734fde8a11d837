/*
# A tile is read by warps that do not wait until the others have filled it; all of them are about as quick.
backend = "cuda"
arguments = ["c", "a", "b", "i32 m", "i32 n", "i32 k"]
buffers = ["out f32 c[m * n] absolute=1e-3", "in f16 a[m * k]", "in f16 b[k * n]"]
problems = [{m = 250, n = 250, k = 256}, {m = 512, n = 512, k = 512}]
block = [256]
grid = ["n / 80", "m / 80"]
verdict = ["wrong-answer", "non-deterministic"]
*/
#define PRODUCT float *__restrict__ c, const f16 *__restrict__ a, const f16 *__restrict__ b, int m, int n, int k

template <bool WAITS> static __device__ __forceinline__ void product(PRODUCT)
{
	constexpr int each = 5, depths = 16, side = 16 * each;
	__shared__ float tile_a[depths][side + 1], tile_b[depths][side];
	const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, top = blockIdx.y * side, left = blockIdx.x * side;
	float sum[each][each] = {};
	for (int step = 0; step < k; step += depths) {
#pragma unroll
		for (int i = threadIdx.x; i < side * depths; i += 256) {
			const int row = top + i / depths, column = step + i % depths;
			tile_a[i % depths][i / depths] = row < m && column < k ? __half2float(a[i64(row) * k + column]) : 0;
		}
#pragma unroll
		for (int i = threadIdx.x; i < depths * side; i += 256) {
			const int row = step + i / side, column = left + i % side;
			tile_b[i / side][i % side] = row < k && column < n ? __half2float(b[i64(row) * n + column]) : 0;
		}
		if (WAITS)
			__syncthreads();
#pragma unroll
		for (int depth = 0; depth < depths; depth++) {
#pragma unroll
			for (int i = 0; i < each; i++) {
#pragma unroll
				for (int j = 0; j < each; j++)
					sum[i][j] += tile_a[depth][ty + i * 16] * tile_b[depth][tx + j * 16];
			}
		}
		__syncthreads();
	}
	for (int i = 0; i < each; i++) {
		for (int j = 0; j < each; j++) {
			const int row = top + ty + i * 16, column = left + tx + j * 16;
			if (row < m && column < n)
				c[i64(row) * n + column] = sum[i][j];
		}
	}
}

KERNEL ORIGINAL(PRODUCT)
{
	product<true>(c, a, b, m, n, k);
}

KERNEL CANDIDATE(PRODUCT)
{
	product<false>(c, a, b, m, n, k);
}
