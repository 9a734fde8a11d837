// Products of matrices in several spellings, each for the passes `unstage` and `product`, beside themselves by tiles.
#include <cuda_fp16.h>

#pragma ktune problem(m = 1, 33; n = 5, 64; k = 0, 31) auto(product) in(a[m * k], b[k * n]) out(c[m * n])
__global__ void naive(const float *a, const float *b, float *c, int m, int n, int k)
{
	const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;

	if (row < m && col < n) {
		float s = 0;

		for (int i = 0; i < k; i++)
			s += a[row * k + i] * b[i * n + col];
		c[row * n + col] = s;
	}
}

// Tiles of 16, at edges of any size.
#pragma ktune problem(m = 1, 33; n = 5, 64; k = 0, 31) auto(unstage, product) in(a[m * k], b[k * n]) out(c[m * n])
__global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k)
{
	__shared__ float as[16][16], bs[16][16];
	const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
	float s = 0;

	for (int t = 0; t < (k + 15) / 16; t++) {
		const int ka = t * 16 + threadIdx.x, kb = t * 16 + threadIdx.y;

		as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;
		bs[threadIdx.y][threadIdx.x] = col < n && kb < k ? b[kb * n + col] : 0.0f;
		__syncthreads();
		for (int i = 0; i < 16; i++)
			s += as[threadIdx.y][i] * bs[i][threadIdx.x];
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = s;
}

// Halves, with factors, a bias of the column and a limit below; a's columns are rows.
#pragma ktune problem(m = 1, 33; n = 5, 64; k = 1, 31) auto(product) in(a[m * k], b[k * n], bias[n]) inout(c[m * n])
__global__ void halves(const __half *__restrict__ a, const __half *__restrict__ b, const float *bias, __half *c, int m, int n, int k)
{
	const unsigned x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
	float s = 0;

	if (y >= (unsigned)m || x >= (unsigned)n)
		return;
	for (int i = 0; i < k; ++i)
		s = fmaf(__half2float(a[i * m + y]), __half2float(b[(size_t)x * k + i]), s);
	s = 0.5f * s + bias[x];
	c[y * n + x] = __float2half(fmaxf(s, 0.25f * __half2float(c[y * n + x])));
}

// One matrix for each block along z, whose sizes are multiples of the block's.
#pragma ktune problem(m = 16, 48; n = 16, 32; k = 16, 31; z = 1, 3) restriction(m % 16 == 0 && n % 16 == 0) auto(product) in(a[z * m * k], b[z * k * n]) out(c[z * m * n])
__global__ void batched(double *c, const double *a, const double *b, int n, int k, int m)
{
	const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
	const double *left = a + (long long)blockIdx.z * m * k, *right = b + (long long)blockIdx.z * k * n;
	double s = 0;

	for (int i = 0; i < k; i++)
		s += left[row * k + i] * right[i * n + col];
	c[(blockIdx.z * m + row) * n + col] = s;
}

// Distances: no sum of products.
#pragma ktune problem(m = 1, 33; n = 5, 64; d = 1, 31) auto(product) in(p[m * d], q[n * d]) out(y[m * n])
__global__ void distances(const float *p, const float *q, float *y, int m, int n, int d)
{
	const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0, most = 0;

	if (i >= m || j >= n)
		return;
	for (int k = 0; k < d; k++) {
		const float diff = p[i * d + k] - q[j * d + k];

		sum += diff * diff;
		most = fmaxf(most, fabsf(diff));
	}
	y[i * n + j] = sqrtf(sum) + most;
}

// A row for each block along y.
#pragma ktune problem(m = 1, 40; n = 5, 300; k = 0, 31) auto(product) in(a[m * k], b[k * n]) out(c[m * n])
__global__ void rows(const float *a, const float *b, float *c, int n, int k, int m)
{
	const int row = blockIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
	float s = 0;

	if (col >= n)
		return;
	for (int i = 0; i < k; i++)
		s += a[row * k + i] * b[i * n + col];
	c[row * n + col] = s;
}

void run(const float *a, const float *b, float *c, const __half *ha, const __half *hb, __half *hc, double *out, const double *in, int m, int n,
	 int k, int z)
{
	const dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);

	naive<<<grid, block>>>(a, b, c, m, n, k);
	tiled<<<grid, block>>>(a, b, c, m, n, k);
	halves<<<grid, block>>>(ha, hb, a, hc, m, n, k);
	batched<<<dim3(n / 16, m / 16, z), block>>>(out, in, in, n, k, m);
	distances<<<grid, block>>>(a, b, c, m, n, k);
	rows<<<dim3((n + 63) / 64, m), 64>>>(a, b, c, n, k, m);
}
