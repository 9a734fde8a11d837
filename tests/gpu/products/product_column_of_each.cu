// Tiles in shared memory; a thread computes eight results of a column.
#pragma ktune problem((M, N, K) = (1024, 1024, 1024), (2048, 2048, 2048)) in(A[M * K], B[K * N]) inout(C[M * N]) \
              value(alpha = 1.5f, beta = 0.5f) flops(2 * M * N * K) tolerance(abs = 1e-3, rel = 1e-3)
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
