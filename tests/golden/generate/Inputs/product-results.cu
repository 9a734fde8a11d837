// Products whose threads compute several results each: in registers alone, from tiles in shared memory, as neighbours or far from each other, in rows of
// warps, along the columns of a matrix, for a batch.
#include <cuda_fp16.h>

#pragma ktune problem(M = 60, 128; N = 70, 128; K = 64, 96) in(A[M * K], B[K * N]) out(C[M * N]) restriction(N >= 64 && N <= 200 && M <= 128 && K <= 64) auto(unstage, product)
__global__ void in_registers(int M, int N, int K, const float *A, const float *B, float *C)
{
	int top = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
	int left = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
	float sums[4][4];

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			sums[i][j] = 0.0f;
	for (int k = 0; k < K; k++) {
		float a[4], b[4];

		for (int i = 0; i < 4; i++)
			a[i] = top + i < M ? A[(top + i) * K + k] : 0.0f;
		for (int j = 0; j < 4; j++)
			b[j] = left + j < N ? B[k * N + left + j] : 0.0f;
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++)
				sums[i][j] += a[i] * b[j];
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			if (top + i < M && left + j < N)
				C[(top + i) * N + left + j] = sums[i][j];
}

void run_in_registers(int M, int N, int K, const float *A, const float *B, float *C)
{
	dim3 block(16, 16), grid((N + 63) / 64, (M + 63) / 64);

	in_registers<<<grid, block>>>(M, N, K, A, B, C);
}

#pragma ktune problem(M = 64, 128; N = 64, 128; K = 32, 64) in(A[M * K], B[K * N]) inout(C[M * N]) value(alpha = 1.5f, beta = 0.5f) restriction(M % 64 == 0 && N % 64 == 0 && K % 8 == 0 && M <= 128 && N <= 128 && K <= 64) auto(unstage, product)
template <int ROWS, int COLUMNS, int DEPTH, int EACH>
__global__ void column_of_each(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
	__shared__ float a[ROWS * DEPTH], b[DEPTH * COLUMNS];
	const unsigned row = threadIdx.x / COLUMNS * EACH, column = threadIdx.x % COLUMNS;
	float sums[EACH] = {0.0f};

	A += blockIdx.y * ROWS * K;
	B += blockIdx.x * COLUMNS;
	C += blockIdx.y * ROWS * N + blockIdx.x * COLUMNS;
	for (int k = 0; k < K; k += DEPTH) {
		a[threadIdx.x] = A[threadIdx.x / DEPTH * K + threadIdx.x % DEPTH];
		b[threadIdx.x] = B[threadIdx.x / COLUMNS * N + threadIdx.x % COLUMNS];
		__syncthreads();
		A += DEPTH;
		B += DEPTH * N;
		for (int d = 0; d < DEPTH; d++) {
			const float one = b[d * COLUMNS + column];

			for (int i = 0; i < EACH; i++)
				sums[i] += a[(row + i) * DEPTH + d] * one;
		}
		__syncthreads();
	}
	for (int i = 0; i < EACH; i++)
		C[(row + i) * N + column] = alpha * sums[i] + beta * C[(row + i) * N + column];
}

void run_column_of_each(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
	column_of_each<64, 64, 8, 8><<<dim3(N / 64, M / 64), 512>>>(M, N, K, alpha, A, B, beta, C);
}

#define TILE 64
#define DEEP 16

#pragma ktune problem(M = 60, 128; N = 70, 128; K = 50, 96) in(A[M * K], B[K * N]) out(C[M * N]) restriction(N >= 64 && N <= 128 && M <= 128 && K <= 64) auto(unstage, product)
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

#pragma ktune problem(m = 64, 128; n = 64, 96; k = 32, 64) in(A[m * k], B[k * n]) inout(C[m * n]) value(alpha = 1.5, beta = 0.25) restriction(m % 32 == 0 && n % 32 == 0 && k % 16 == 0 && m <= 128 && n <= 128 && k <= 64) auto(unstage, product)
__global__ void along_columns(int m, int n, int k, double alpha, const double *A, const double *B, double beta, double *C)
{
	__shared__ double a[16][33], b[16][33];
	const int x = threadIdx.x, y = threadIdx.y;
	double sums[2][2] = {{0, 0}, {0, 0}};

	A += blockIdx.x * 32;
	B += blockIdx.y * 32 * k;
	C += blockIdx.x * 32 + blockIdx.y * 32 * m;
	for (int begin = 0; begin < k; begin += 16) {
		for (int i = 0; i < 32; i += 16) {
			a[y][x + i] = A[x + i + (begin + y) * m];
			b[x][y + i] = B[begin + x + (y + i) * k];
		}
		__syncthreads();
		for (int d = 0; d < 16; d++)
			for (int j = 0; j < 2; j++)
				for (int i = 0; i < 2; i++)
					sums[j][i] += a[d][x * 2 + i] * b[d][y * 2 + j];
		__syncthreads();
	}
	for (int j = 0; j < 2; j++)
		for (int i = 0; i < 2; i++) {
			const int at = x * 2 + i + (y * 2 + j) * m;

			C[at] = alpha * sums[j][i] + beta * C[at];
		}
}

void run_along_columns(int m, int n, int k, double alpha, const double *A, const double *B, double beta, double *C)
{
	along_columns<<<dim3(m / 32, n / 32), dim3(16, 16)>>>(m, n, k, alpha, A, B, beta, C);
}

#pragma ktune problem(M = 64, 128; N = 64, 128; K = 32, 64) in(A[M * K], B[K * N]) out(C[M * N]) restriction(M % 64 == 0 && N % 64 == 0 && K % 16 == 0 && M <= 128 && N <= 128 && K <= 64) auto(unstage, product)
__global__ void rows_of_warps(int M, int N, int K, const float *A, const float *B, float *C)
{
	__shared__ float a[16 * 64], b[16 * 64];
	const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const unsigned top = warp / 2 * 32 + lane / 4 * 4, left = warp % 2 * 32 + lane % 4 * 4;
	float sums[4 * 8] = {0.0f}, down[4], across[8];

	for (unsigned k = 0; k < K; k += 16) {
		for (unsigned o = 0; o + 8 <= 64; o += 8)
			a[threadIdx.x % 16 * 64 + threadIdx.x / 16 + o] = A[(blockIdx.y * 64 + threadIdx.x / 16 + o) * K + k + threadIdx.x % 16];
		for (unsigned o = 0; o + 2 <= 16; o += 2)
			b[(threadIdx.x / 64 + o) * 64 + threadIdx.x % 64] = B[(k + threadIdx.x / 64 + o) * N + blockIdx.x * 64 + threadIdx.x % 64];
		__syncthreads();
		for (unsigned d = 0; d < 16; d++) {
			for (unsigned i = 0; i < 4; i++)
				down[i] = a[d * 64 + top + i];
			for (unsigned w = 0; w < 2; w++)
				for (unsigned i = 0; i < 4; i++)
					across[w * 4 + i] = b[d * 64 + left + w * 16 + i];
			for (unsigned w = 0; w < 2; w++)
				for (unsigned i = 0; i < 4; i++)
					for (unsigned j = 0; j < 4; j++)
						sums[i * 8 + w * 4 + j] += down[i] * across[w * 4 + j];
		}
		__syncthreads();
	}
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 4; i++)
			for (unsigned j = 0; j < 4; j++)
				C[(blockIdx.y * 64 + top + i) * N + blockIdx.x * 64 + left + w * 16 + j] = sums[i * 8 + w * 4 + j];
}

void run_rows_of_warps(int M, int N, int K, const float *A, const float *B, float *C)
{
	rows_of_warps<<<dim3(N / 64, M / 64), 128>>>(M, N, K, A, B, C);
}

#pragma ktune problem(n = 64, 96; m = 64, 128; d = 16, 33) in(x[n * d], y[m * d]) out(distances[n * m]) restriction(m % 64 == 0 && m <= 128 && n <= 100 && d <= 33) auto(product)
__global__ void four_distances(const float *x, const float *y, float *distances, int n, int m, int d)
{
	const int i = blockIdx.y * 16 + threadIdx.y, first = (blockIdx.x * 16 + threadIdx.x) * 4;
	float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};

	if (i >= n)
		return;
	for (int k = 0; k < d; k++) {
		const float one = x[i * d + k];

		for (int q = 0; q < 4; q++) {
			const float apart = one - y[(first + q) * d + k];

			sums[q] += apart * apart;
		}
	}
	for (int q = 0; q < 4; q++)
		distances[i * m + first + q] = sqrtf(sums[q]);
}

void run_four_distances(const float *x, const float *y, float *distances, int n, int m, int d)
{
	four_distances<<<dim3(m / 64, (n + 15) / 16), dim3(16, 16)>>>(x, y, distances, n, m, d);
}

#pragma ktune problem(M = 60, 128; N = 70, 96; K = 40, 96) in(A[2 * M * K], B[2 * K * N]) out(C[2 * M * N]) restriction(N >= 32 && N <= 128 && M <= 128 && K <= 64) auto(unstage, product)
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
