// Products as textbooks, samples and tutorials have them: pointers that move, blocks of one dimension, blocks that are exchanged, counters that
// begin at the block, one array of shared memory for both tiles, numbers of two parts, a thread for each
// result.

#pragma ktune problem(M = 64, 96; N = 32, 64; K = 32, 64) in(A[M * K], B[K * N]) inout(C[M * N]) value(alpha = 1.5f, beta = 0.5f) restriction(M % 32 == 0 && N % 32 == 0 && K % 32 == 0) auto(unstage, product)
template <int BS>
__global__ void sgemm_smem(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
	const unsigned cRow = blockIdx.x, cCol = blockIdx.y;
	__shared__ float As[BS * BS];
	__shared__ float Bs[BS * BS];
	const unsigned tCol = threadIdx.x % BS, tRow = threadIdx.x / BS;

	A += cRow * BS * K;
	B += cCol * BS;
	C += cRow * BS * N + cCol * BS;
	float acc = 0.0f;
	for (int bk = 0; bk < K; bk += BS) {
		As[tRow * BS + tCol] = A[tRow * K + tCol];
		Bs[tRow * BS + tCol] = B[tRow * N + tCol];
		__syncthreads();
		A += BS;
		B += BS * N;
		for (int d = 0; d < BS; ++d)
			acc += As[tRow * BS + d] * Bs[d * BS + tCol];
		__syncthreads();
	}
	C[tRow * N + tCol] = alpha * acc + beta * C[tRow * N + tCol];
}
template __global__ void sgemm_smem<32>(int, int, int, float, const float *, const float *, float, float *);

void run_01(int M, int N, int K, float alpha, const float * A, const float * B, float beta, float * C)
{
	sgemm_smem<32><<<dim3(((M) + (32) - 1) / (32), ((N) + (32) - 1) / (32)), dim3(1024)>>>(M, N, K, alpha, A, B, beta, C);
}

#pragma ktune problem(M = 64, 96; N = 32, 65; K = 31, 64) in(A[M * K], B[K * N]) inout(C[M * N]) value(alpha = 1.5f, beta = 0.5f) auto(unstage, product)
template <int BS>
__global__ void sgemm_coalesce(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
	const int row = blockIdx.x * BS + (threadIdx.x / BS);
	const int col = blockIdx.y * BS + (threadIdx.x % BS);

	if (row < M && col < N) {
		float tmp = 0.0;
		for (int i = 0; i < K; ++i) {
			tmp += A[row * K + i] * B[i * N + col];
		}
		C[row * N + col] = alpha * tmp + beta * C[row * N + col];
	}
}
template __global__ void sgemm_coalesce<32>(int, int, int, float, const float *, const float *, float, float *);

void run_02(int M, int N, int K, float alpha, const float * A, const float * B, float beta, float * C)
{
	sgemm_coalesce<32><<<dim3(((M) + (32) - 1) / (32), ((N) + (32) - 1) / (32)), dim3(1024)>>>(M, N, K, alpha, A, B, beta, C);
}

#pragma ktune problem(wA = 32, 64; wB = 32, 64; hA = 32, 96) in(A[wA * hA], B[wA * wB]) out(C[hA * wB]) restriction(wA % 32 == 0 && wB % 32 == 0 && hA % 32 == 0) auto(unstage, product)
template <int BLOCK_SIZE>
__global__ void MatMulSample(float *C, float *A, float *B, int wA, int wB)
{
	int bx = blockIdx.x;
	int by = blockIdx.y;
	int tx = threadIdx.x;
	int ty = threadIdx.y;
	int aBegin = wA * BLOCK_SIZE * by;
	int aEnd = aBegin + wA - 1;
	int aStep = BLOCK_SIZE;
	int bBegin = BLOCK_SIZE * bx;
	int bStep = BLOCK_SIZE * wB;
	float Csub = 0;

	for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
		__shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
		__shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];

		As[ty][tx] = A[a + wA * ty + tx];
		Bs[ty][tx] = B[b + wB * ty + tx];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < BLOCK_SIZE; ++k)
			Csub += As[ty][k] * Bs[k][tx];
		__syncthreads();
	}
	int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
	C[c + wB * ty + tx] = Csub;
}
template __global__ void MatMulSample<32>(float *, float *, float *, int, int);

void run_05(float * C, float * A, float * B, int wA, int wB, int hA)
{
	MatMulSample<32><<<dim3(wB / 32, hA / 32), dim3(32, 32)>>>(C, A, B, wA, wB);
}

#pragma ktune problem(m = 33, 64; n = 17, 64; k = 16, 40) in(A[m * k], B[k * n]) out(C[m * n]) auto(unstage, product)
__global__ void walk(const float *A, const float *B, float *C, int m, int n, int k)
{
	int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= m || c >= n)
		return;
	const float *pa = A + r * k;
	const float *pb = B + c;
	const float *end = pa + k;
	float s = 0;
	while (pa < end) {
		s += *pa * *pb;
		++pa;
		pb += n;
	}
	C[r * n + c] = s;
}

void run_13(const float * A, const float * B, float * C, int m, int n, int k)
{
	walk<<<dim3(((n) + (16) - 1) / (16), ((m) + (16) - 1) / (16)), dim3(16, 16)>>>(A, B, C, m, n, k);
}

#pragma ktune problem(n = 32, 64, 96) in(a[n * n], b[n * n]) out(c[n * n]) restriction(n % 16 == 0) auto(unstage, product)
__global__ void dyn(const int *a, const int *b, int *c, int n)
{
	extern __shared__ int sm[];
	int *sa = sm, *sb = sm + blockDim.x * blockDim.y;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int col = blockIdx.x * blockDim.x + threadIdx.x;
	int tmp = 0;
	for (int i = 0; i < n; i += blockDim.x) {
		sa[threadIdx.y * blockDim.x + threadIdx.x] = a[row * n + i + threadIdx.x];
		sb[threadIdx.y * blockDim.x + threadIdx.x] = b[i * n + threadIdx.y * n + col];
		__syncthreads();
		for (int j = 0; j < blockDim.x; j++)
			tmp += sa[threadIdx.y * blockDim.x + j] * sb[j * blockDim.x + threadIdx.x];
		__syncthreads();
	}
	c[row * n + col] = tmp;
}

void run_16(const int * a, const int * b, int * c, int n)
{
	dyn<<<dim3(n / 16, n / 16), dim3(16, 16), 2 * 16 * 16 * 4>>>(a, b, c, n);
}

#pragma ktune problem(m = 32, 64; ldb = 32, 64; k = 32, 64) in(A[m * k], B[k * ldb]) out(C[m * ldb]) restriction(m % 16 == 0 && ldb % 16 == 0 && k % 16 == 0) auto(unstage, product)
__global__ void ptrtile(int k, int ldb, const float *A, const float *B, float *C)
{
	__shared__ float a[16][17], b[16][17];
	const float *Ap = A + (blockIdx.y * 16 + threadIdx.y) * k + threadIdx.x;
	const float *Bp = B + threadIdx.y * ldb + blockIdx.x * 16 + threadIdx.x;
	float sum = 0.f;
	for (int rest = k; rest > 0; rest -= 16) {
		a[threadIdx.y][threadIdx.x] = *Ap;
		b[threadIdx.y][threadIdx.x] = *Bp;
		__syncthreads();
		for (int i = 0; i < 16; ++i)
			sum += a[threadIdx.y][i] * b[i][threadIdx.x];
		__syncthreads();
		Ap += 16;
		Bp += 16 * ldb;
	}
	C[(blockIdx.y * 16 + threadIdx.y) * ldb + blockIdx.x * 16 + threadIdx.x] = sum;
}

void run_20(int k, int ldb, const float * A, const float * B, float * C, int m)
{
	ptrtile<<<dim3(ldb / 16, m / 16), dim3(16, 16)>>>(k, ldb, A, B, C);
}

#pragma ktune problem(m = 33, 64; n = 17, 64; k = 16, 40) in(A[m * k], B[k * n]) out(C[m * n]) auto(unstage, product)
__global__ void cgemm(const float2 *A, const float2 *B, float2 *C, int m, int n, int k)
{
	int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
	if (r < m && c < n) {
		float2 s = make_float2(0.f, 0.f);
		for (int i = 0; i < k; i++) {
			float2 a = A[r * k + i], b = B[i * n + c];
			s.x += a.x * b.x - a.y * b.y;
			s.y += a.x * b.y + a.y * b.x;
		}
		C[r * n + c] = s;
	}
}

void run_21(const float2 * A, const float2 * B, float2 * C, int m, int n, int k)
{
	cgemm<<<dim3(((n) + (16) - 1) / (16), ((m) + (16) - 1) / (16)), dim3(16, 16)>>>(A, B, C, m, n, k);
}

#pragma ktune problem(m = 33, 64; n = 17, 64; k = 16, 40) in(A[m * k], B[k * n]) out(C[m * n]) auto(product)
__global__ void flat(const float *A, const float *B, float *C, int m, int n, int k)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid < m * n) {
		int row = tid / n, col = tid % n;
		float s = 0;
		for (int i = 0; i < k; i++)
			s += A[row * k + i] * B[i * n + col];
		C[tid] = s;
	}
}

void run_14(const float * A, const float * B, float * C, int m, int n, int k)
{
	flat<<<dim3(((m * n) + (256) - 1) / (256)), dim3(256)>>>(A, B, C, m, n, k);
}

#pragma ktune problem(M = 33, 64; N = 17, 64; K = 16, 40) in(A[M * K], B[K * N]) out(C[M * N]) auto(product)
__global__ void all_by_strides(const float *A, const float *B, float *C, int M, int N, int K)
{
	for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < M; row += gridDim.y * blockDim.y)
		for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < N; col += gridDim.x * blockDim.x) {
			float s = 0;

			for (int k = 0; k < K; k++)
				s += A[row * K + k] * B[k * N + col];
			C[row * N + col] = s;
		}
}

void run_22(const float *A, const float *B, float *C, int M, int N, int K)
{
	all_by_strides<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}

#pragma ktune problem(N = 17, 64; K = 16, 40) in(A[N * K]) inout(C[N * N]) auto(product)
__global__ void rank_k_update(const float *A, float *C, int N, int K)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;

	if (i < N && j < N) {
		C[i * N + j] *= 0.5f;
		for (int k = 0; k < K; k++)
			C[i * N + j] += 1.5f * A[i * K + k] * A[j * K + k];
	}
}

void run_23(const float *A, float *C, int N, int K)
{
	rank_k_update<<<dim3((N + 31) / 32, (N + 7) / 8), dim3(32, 8)>>>(A, C, N, K);
}

#pragma ktune problem(M = 33, 64; N = 17, 64; K = 16, 40) in(A[M * K], B[N * K]) out(C[M * N]) restriction(K % 4 == 0) auto(product)
__global__ void rows_of_vectors(const float *A, const float *B, float *C, int M, int N, int K)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;

	if (row >= M || col >= N)
		return;
	const float4 *a = (const float4 *)(A + row * K), *b = (const float4 *)(B + col * K);
	float s = 0;
	for (int k = 0; k < K / 4; k++) {
		float4 x = a[k], y = b[k];

		s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
	}
	C[row * N + col] = s;
}

void run_24(const float *A, const float *B, float *C, int M, int N, int K)
{
	rows_of_vectors<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
