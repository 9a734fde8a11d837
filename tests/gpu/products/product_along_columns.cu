// Matrices by columns, in double precision; a thread computes 2 x 2 results.
#pragma ktune problem((m, n, k) = (1024, 1024, 1024), (2048, 2048, 2048)) in(A[m * k], B[k * n]) inout(C[m * n]) \
              value(alpha = 1.5, beta = 0.25) flops(2 * m * n * k) tolerance(abs = 1e-9, rel = 1e-9)
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
