// A thread computes 4 x 4 results from registers alone.
#pragma ktune problem((M, N, K) = (1024, 1024, 1024), (2048, 2000, 2040)) in(A[M * K], B[K * N]) out(C[M * N]) \
              flops(2 * M * N * K) tolerance(abs = 1e-3, rel = 1e-3)
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
