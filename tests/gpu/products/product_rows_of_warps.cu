// Tiles in shared memory; warps have parts of the tile, threads 4 x 8 results.
#pragma ktune problem((M, N, K) = (1024, 1024, 1024), (2048, 2048, 2048)) in(A[M * K], B[K * N]) out(C[M * N]) \
              flops(2 * M * N * K) tolerance(abs = 1e-3, rel = 1e-3)
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
