// Kernels that keep parts of their inputs in shared memory, each with another form of it.
#define TILE 16
constexpr int edge = 2;
__constant__ float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

// Tiles of a product, partial ones filled with zeros.
#pragma ktune problem(n = 33, 64; m = 20, 48; k = 7, 40) in(a[n * k], b[k * m]) out(c[n * m])
__global__ void product(float *c, const float *a, const float *b, int n, int m, int k)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
	const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
	float sum = 0;

	for (int t = 0; t < (k + TILE - 1) / TILE; t++) {
		ta[threadIdx.y][threadIdx.x] = row < n && t * TILE + threadIdx.x < k ? a[row * k + t * TILE + threadIdx.x] : 0.0f;
		tb[threadIdx.y][threadIdx.x] = column < m && t * TILE + threadIdx.y < k ? b[(t * TILE + threadIdx.y) * m + column] : 0.0f;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
		__syncthreads();
	}
	if (row < n && column < m)
		c[row * m + column] = sum;
}
void run1(float *c, const float *a, const float *b, int n, int m, int k) { product<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(c, a, b, n, m, k); }

// The same with if and else, and pointers that move.
#pragma ktune problem(n = 33, 64; k = 7, 40) in(a[n * k], b[k * n]) out(c[n * n])
template <int BLOCK> __global__ void moving(float *c, const float *a, const float *b, int n, int k)
{
	__shared__ float ta[BLOCK * BLOCK], tb[BLOCK * BLOCK];
	const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * BLOCK + ty, column = blockIdx.x * BLOCK + tx;
	const float *pa = a + row * k, *pb = b + column;
	float sum = 0;

	for (int first = 0; first < k; first += BLOCK) {
		if (row < n && first + tx < k)
			ta[ty * BLOCK + tx] = pa[tx];
		else
			ta[ty * BLOCK + tx] = 0;
		if (column < n && first + ty < k)
			tb[ty * BLOCK + tx] = pb[ty * n];
		else
			tb[ty * BLOCK + tx] = 0;
		__syncthreads();
		for (int i = 0; i < BLOCK; i++)
			sum += ta[ty * BLOCK + i] * tb[i * BLOCK + tx];
		__syncthreads();
		pa += BLOCK;
		pb += BLOCK * n;
	}
	if (row < n && column < n)
		c[row * n + column] = sum;
}
template __global__ void moving<8>(float *, const float *, const float *, int, int);
void run2(float *c, const float *a, const float *b, int n, int k) { moving<8><<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(c, a, b, n, k); }

// A transposition with padding.
#pragma ktune problem(n = 33, 64; m = 20, 48) in(x[n * m]) out(y[n * m])
__global__ void transpose(float *y, const float *x, int n, int m)
{
	__shared__ float tile[32][33];
	int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;

	for (int j = 0; j < 32; j += 8)
		if (row + j < n && column < m)
			tile[threadIdx.y + j][threadIdx.x] = x[(row + j) * m + column];
	__syncthreads();
	column = blockIdx.y * 32 + threadIdx.x;
	row = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (row + j < m && column < n)
			y[(row + j) * n + column] = tile[threadIdx.x][threadIdx.y + j];
}
void run3(float *y, const float *x, int n, int m) { transpose<<<dim3((m + 31) / 32, (n + 31) / 32), dim3(32, 8)>>>(y, x, n, m); }

// A line with neighbours, by conditions, and constant weights.
#pragma ktune problem(n = 100, 1000) in(x[n], weights[5]) out(y[n])
__global__ void line(float *y, const float *x, int n)
{
	__shared__ float s[64 + 2 * edge];
	const int g = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + edge;

	s[l] = g < n ? x[g] : 0;
	if (threadIdx.x < edge) {
		s[l - edge] = g - edge >= 0 && g - edge < n ? x[g - edge] : 0;
		s[l + 64] = g + 64 < n ? x[g + 64] : 0;
	}
	__syncthreads();
	float sum = 0;
	for (int o = -edge; o <= edge; o++)
		sum += s[l + o] * weights[o + edge];
	if (g < n)
		y[g] = sum;
}
void run4(float *y, const float *x, int n) { line<<<(n + 63) / 64, 64>>>(y, x, n); }

// A plane with a halo, filled by two loops.
#pragma ktune problem(n = 33, 64; m = 20, 48) in(x[n * m]) out(y[n * m])
__global__ void plane(float *y, const float *x, int n, int m)
{
	__shared__ float s[8 + 2][16 + 2];
	const int x0 = blockIdx.x * 16 - 1, y0 = blockIdx.y * 8 - 1;

	for (int r = threadIdx.y; r < 10; r += 8)
		for (int c = threadIdx.x; c < 18; c += 16) {
			const int gy = y0 + r, gx = x0 + c;
			s[r][c] = gy >= 0 && gy < n && gx >= 0 && gx < m ? x[gy * m + gx] : 0.0f;
		}
	__syncthreads();
	const int gx = blockIdx.x * 16 + threadIdx.x, gy = blockIdx.y * 8 + threadIdx.y;
	if (gx < m && gy < n)
		y[gy * m + gx] = s[threadIdx.y][threadIdx.x + 1] + s[threadIdx.y + 2][threadIdx.x + 1] + s[threadIdx.y + 1][threadIdx.x] +
				 s[threadIdx.y + 1][threadIdx.x + 2] - 4 * s[threadIdx.y + 1][threadIdx.x + 1];
}
void run5(float *y, const float *x, int n, int m) { plane<<<dim3((m + 15) / 16, (n + 7) / 8), dim3(16, 8)>>>(y, x, n, m); }

// The same filled by a flat loop with quotients.
#pragma ktune problem(n = 33, 64; m = 20, 48) in(x[n * m]) out(y[n * m])
__global__ void flat_plane(float *y, const float *x, int n, int m)
{
	__shared__ float s[10 * 18];
	const int t = threadIdx.y * 16 + threadIdx.x;

	for (int i = t; i < 10 * 18; i += 128) {
		const int gy = blockIdx.y * 8 - 1 + i / 18, gx = blockIdx.x * 16 - 1 + i % 18;
		s[i] = gy >= 0 && gy < n && gx >= 0 && gx < m ? x[gy * m + gx] : 0.0f;
	}
	__syncthreads();
	const int gx = blockIdx.x * 16 + threadIdx.x, gy = blockIdx.y * 8 + threadIdx.y;
	float sum = 0;
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++)
			sum += s[(threadIdx.y + r) * 18 + threadIdx.x + c] * (r + 2 * c);
	if (gx < m && gy < n)
		y[gy * m + gx] = sum;
}
void run6(float *y, const float *x, int n, int m) { flat_plane<<<dim3((m + 15) / 16, (n + 7) / 8), dim3(16, 8)>>>(y, x, n, m); }

// Three dimensions.
#pragma ktune problem(n = 5, 9; m = 7, 12) in(x[n * m * m]) out(y[n * m * m])
__global__ void volume(float *y, const float *x, int n, int m)
{
	__shared__ float s[4][4][8];
	const int i = blockIdx.x * 8 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, k = blockIdx.z * 4 + threadIdx.z;
	const bool inside = i < m && j < m && k < n;

	s[threadIdx.z][threadIdx.y][threadIdx.x] = inside ? x[(k * m + j) * m + i] : 0.0f;
	__syncthreads();
	if (inside)
		y[(k * m + j) * m + i] = s[3 - threadIdx.z][threadIdx.y ^ 1][7 - threadIdx.x] + s[threadIdx.z][3 - threadIdx.y][threadIdx.x];
}
void run7(float *y, const float *x, int n, int m) { volume<<<dim3((m + 7) / 8, (m + 3) / 4, (n + 3) / 4), dim3(8, 4, 4)>>>(y, x, n, m); }

// Weights in shared memory.
#pragma ktune problem(n = 100, 1000) in(x[n], w[9]) out(y[n])
__global__ void convolve(float *y, const float *x, const float *w, int n)
{
	__shared__ float sw[9];
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x < 9)
		sw[threadIdx.x] = w[threadIdx.x];
	__syncthreads();
	if (i >= n)
		return;
	float sum = 0;
	for (int k = 0; k < 9; k++)
		if (i + k - 4 >= 0 && i + k - 4 < n)
			sum += x[i + k - 4] * sw[k];
	y[i] = sum;
}
void run8(float *y, const float *x, const float *w, int n) { convolve<<<(n + 127) / 128, 128>>>(y, x, w, n); }

// A scan; must stay.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void scan(int *y, const int *x, int n)
{
	__shared__ int s[64];
	const int i = blockIdx.x * 64 + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	for (int h = 1; h < 64; h *= 2) {
		int v = threadIdx.x >= h ? s[threadIdx.x - h] : 0;
		__syncthreads();
		s[threadIdx.x] += v;
		__syncthreads();
	}
	if (i < n)
		y[i] = s[threadIdx.x];
}
void run9(int *y, const int *x, int n) { scan<<<(n + 63) / 64, 64>>>(y, x, n); }

// A histogram; must stay.
#pragma ktune problem(n = 100, 1000) in(x[n]) inout(h[16])
__global__ void histogram(int *h, const int *x, int n)
{
	__shared__ int s[16];
	const int i = blockIdx.x * 64 + threadIdx.x;

	if (threadIdx.x < 16)
		s[threadIdx.x] = 0;
	__syncthreads();
	if (i < n)
		atomicAdd(&s[x[i] & 15], 1);
	__syncthreads();
	if (threadIdx.x < 16)
		atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
void run10(int *h, const int *x, int n) { histogram<<<(n + 63) / 64, 64>>>(h, x, n); }

// Two buffers that alternate.
#pragma ktune problem(n = 100, 200; d = 33, 100) in(x[d]) out(y[n])
__global__ void alternate(float *y, const float *x, int n, int d)
{
	__shared__ float s[2][32];
	const int i = blockIdx.x * 32 + threadIdx.x, pieces = (d + 31) / 32;
	float sum = 0;

	s[0][threadIdx.x] = threadIdx.x < d ? x[threadIdx.x] : 0.0f;
	for (int p = 0; p < pieces; p++) {
		__syncthreads();
		if (p + 1 < pieces)
			s[(p + 1) & 1][threadIdx.x] = (p + 1) * 32 + threadIdx.x < d ? x[(p + 1) * 32 + threadIdx.x] : 0.0f;
		for (int k = 0; k < 32; k++)
			sum += s[p & 1][k] * (i + k);
	}
	if (i < n)
		y[i] = sum;
}
void run11(float *y, const float *x, int n, int d) { alternate<<<(n + 31) / 32, 32>>>(y, x, n, d); }

// An early return before the barrier.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void early(int *y, const int *x, int n)
{
	__shared__ int s[64];
	const int i = blockIdx.x * 64 + threadIdx.x;

	if (i >= n)
		return;
	s[threadIdx.x] = x[i];
	__syncthreads();
	const int j = threadIdx.x ^ 1;
	y[i] = blockIdx.x * 64 + j < n ? s[j] - s[threadIdx.x] : -1;
}
void run12(int *y, const int *x, int n) { early<<<(n + 63) / 64, 64>>>(y, x, n); }

// Vectors.
#pragma ktune problem(n = 64, 256) in(x[n * 4]) out(y[n * 4])
__global__ void vectors(float4 *y, const float4 *x, int n)
{
	__shared__ float4 s[32];
	const int i = blockIdx.x * 32 + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] : make_float4(0, 1, 2, 3);
	__syncthreads();
	float4 v = s[31 - threadIdx.x];
	v.x += s[threadIdx.x].w;
	v.y *= s[0].z;
	if (i < n)
		y[i] = v;
}
void run13(float4 *y, const float4 *x, int n) { vectors<<<(n + 31) / 32, 32>>>(y, x, n); }

// Dynamic shared memory, in two parts.
#pragma ktune problem(n = 100, 1000) in(x[n], z[n]) out(y[n])
__global__ void dynamic(float *y, const float *x, const float *z, int n)
{
	extern __shared__ float all[];
	float *s = all, *u = all + 64;
	const int i = blockIdx.x * 64 + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] : 0;
	u[threadIdx.x] = i < n ? z[i] : 1;
	__syncthreads();
	if (i < n)
		y[i] = s[63 - threadIdx.x] - u[threadIdx.x ^ 3];
}
void run14(float *y, const float *x, const float *z, int n) { dynamic<<<(n + 63) / 64, 64, 128 * sizeof(float)>>>(y, x, z, n); }

// A block of two dimensions of which one is not used.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void unused(int *y, const int *x, int n)
{
	__shared__ int s[32];
	const int i = blockIdx.x * 32 + threadIdx.x;

	if (threadIdx.y == 0)
		s[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	if (threadIdx.y == 1 && i < n)
		y[i] = s[31 - threadIdx.x];
}
void run16(int *y, const int *x, int n) { unused<<<(n + 31) / 32, dim3(32, 2)>>>(y, x, n); }

// In place; must stay.
#pragma ktune problem(n = 100, 1000) inout(x[n])
__global__ void in_place(int *x, int n)
{
	__shared__ int s[66];
	const int i = blockIdx.x * 64 + threadIdx.x;

	s[threadIdx.x + 1] = i < n ? x[i] : 0;
	if (threadIdx.x == 0)
		s[0] = s[65] = 0;
	__syncthreads();
	if (i < n)
		x[i] = s[threadIdx.x] + s[threadIdx.x + 2];
}
void run17(int *x, int n) { in_place<<<(n + 63) / 64, 64>>>(x, n); }

// Pointers that may overlap.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void maybe(int *y, int *x, int n)
{
	__shared__ int s[64];
	const int i = blockIdx.x * 64 + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	if (i < n)
		y[i] = s[63 - threadIdx.x];
}
void run18(int *y, int *x, int n) { maybe<<<(n + 63) / 64, 64>>>(y, x, n); }

// Two stores in one loop.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void two_stores(int *y, const int *x, int n)
{
	__shared__ int s[64 * 4];
	const int i = blockIdx.x * 64 + threadIdx.x;

	for (int j = 0; j < 3; j++) {
		s[threadIdx.x * 4 + j] = i < n ? x[i] + j : j;
		s[threadIdx.x * 4 + j + 1] = -j;
	}
	__syncthreads();
	if (i < n)
		y[i] = s[(63 - threadIdx.x) * 4 + 1] + s[threadIdx.x * 4 + 2] * 3;
}
void run19(int *y, const int *x, int n) { two_stores<<<(n + 63) / 64, 64>>>(y, x, n); }

// Continue around a store.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void left_out(int *y, const int *x, int n)
{
	__shared__ int s[64 * 4];
	const int i = blockIdx.x * 64 + threadIdx.x;
	int sum = 0;

	for (int j = 0; j < 4; j++)
		s[threadIdx.x * 4 + j] = j;
	for (int j = 0; j < 4; j++) {
		if (i + j >= n) {
			sum += j;
			continue;
		}
		if (x[i + j] < 0)
			continue;
		s[threadIdx.x * 4 + j] = x[i + j];
	}
	__syncthreads();
	if (i < n)
		y[i] = s[(63 - threadIdx.x) * 4 + 1] + sum;
}
void run20(int *y, const int *x, int n) { left_out<<<(n + 63) / 64, 64>>>(y, x, n); }

// A condition on what has changed since.
#pragma ktune problem(n = 128, 1024) in(x[n]) out(y[n])
__global__ void stale(int *y, const int *x, int n)
{
	__shared__ int s[128];
	const unsigned t = threadIdx.x;

	s[64 + t] = 7;
	s[t] = blockIdx.x * 64 + t < n ? x[blockIdx.x * 64 + t] : 0;
	__syncthreads();
	unsigned q = t, w = 0;
	for (int k = 0; k < 2; k++)
		if (q < 64) {
			q += 60;
			w += s[q];
		}
	if (blockIdx.x * 64 + t < n)
		y[blockIdx.x * 64 + t] = w + q;
}
void run21(int *y, const int *x, int n) { stale<<<(n + 63) / 64, 64>>>(y, x, n); }

// An unsigned counter, and values that depend on the thread that stored.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void counted(unsigned *y, const unsigned *x, unsigned n)
{
	__shared__ unsigned s[128];
	const unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;

	for (unsigned j = threadIdx.x; j < 128; j += 64)
		s[j] = j * 3 + t + (j + 7 < n ? x[j + 7] : 0);
	__syncthreads();
	if (i < n)
		y[i] = s[127 - t] + s[t] * 5;
}
void run22(unsigned *y, const unsigned *x, unsigned n) { counted<<<(n + 63) / 64, 64>>>(y, x, n); }

// An index past a row's end.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void past_row(int *y, const int *x, int n)
{
	__shared__ int s[4][16];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	s[t / 16][t % 16] = i < n ? x[i] : 5;
	__syncthreads();
	if (i < n)
		y[i] = s[0][63 - t] + s[3 - t / 16][t % 16];
}
void run23(int *y, const int *x, int n) { past_row<<<(n + 63) / 64, 64>>>(y, x, n); }

// Stored past a row's end.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void flat_store(int *y, const int *x, int n)
{
	__shared__ int s[4][16];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	s[0][t] = i < n ? x[i] : 5;
	__syncthreads();
	if (i < n)
		y[i] = s[3 - t / 16][t % 16] + s[t & 3][2];
}
void run24(int *y, const int *x, int n) { flat_store<<<(n + 63) / 64, 64>>>(y, x, n); }

// A product before it is stored.
#pragma ktune problem(n = 100, 1000) in(x[n], z[n]) out(y[n])
__global__ void scaled(float *y, const float *x, const float *z, int n)
{
	__shared__ float s[64];
	const int i = blockIdx.x * 64 + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] * z[i] : 0.0f;
	__syncthreads();
	float sum = 0;
	for (int k = 0; k < 64; k++)
		sum += s[k];
	if (i < n)
		y[i] = sum + s[63 - threadIdx.x];
}
void run25(float *y, const float *x, const float *z, int n) { scaled<<<(n + 63) / 64, 64>>>(y, x, z, n); }

// A table that one thread fills.
#pragma ktune problem(n = 100, 1000) in(x[n], p[8]) out(y[n])
__global__ void by_one(float *y, const float *x, const float *p, int n)
{
	__shared__ float s[8];
	const int i = blockIdx.x * 64 + threadIdx.x;

	if (threadIdx.x == 0)
		for (int k = 0; k < 8; k++)
			s[k] = p[k] + k;
	__syncthreads();
	if (i < n)
		y[i] = x[i] + s[i & 7];
}
void run26(float *y, const float *x, const float *p, int n) { by_one<<<(n + 63) / 64, 64>>>(y, x, p, n); }

// A value of the block.
#pragma ktune problem(rows = 3, 17; d = 20, 100) in(x[rows * d], p[rows]) out(y[rows * d])
__global__ void of_block(float *y, const float *x, const float *p, int d)
{
	__shared__ float s, u;

	if (threadIdx.x == 0) {
		s = p[blockIdx.x];
		u = s + 1;
	}
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i] * s + u;
}
void run27(float *y, const float *x, const float *p, int rows, int d) { of_block<<<rows, 32>>>(y, x, p, d); }

// Structures.
struct body { float x, y, m; };
#pragma ktune problem(n = 50, 100) in(a[n], b[n], c[n]) out(f[n])
__global__ void bodies(float *__restrict__ f, const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c, int n)
{
	__shared__ body s[32];
	const int i = blockIdx.x * 32 + threadIdx.x;
	const float px = i < n ? a[i] : 0, py = i < n ? b[i] : 0;
	float sum = 0;

	for (int first = 0; first < n; first += 32) {
		const int j = first + threadIdx.x;
		if (j < n) {
			s[threadIdx.x].x = a[j];
			s[threadIdx.x].y = b[j];
			s[threadIdx.x].m = c[j];
		}
		__syncthreads();
		for (int k = 0; k < min(32, n - first); k++)
			sum += s[k].m * ((s[k].x - px) + (s[k].y - py));
		__syncthreads();
	}
	if (i < n)
		f[i] = sum;
}
void run28(float *f, const float *a, const float *b, const float *c, int n) { bodies<<<(n + 31) / 32, 32>>>(f, a, b, c, n); }

// The second tile in the memory of the first one.
#pragma ktune problem(n = 100, 1000) in(x[n], z[n]) out(y[n], w[n])
__global__ void again(int *y, int *w, const int *x, const int *z, int n)
{
	__shared__ int s[64];
	const int i = blockIdx.x * 64 + threadIdx.x;

	s[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	const int a = s[63 - threadIdx.x];
	__syncthreads();
	if (i < n)
		s[threadIdx.x] = z[i];
	__syncthreads();
	if (i < n) {
		y[i] = a;
		w[i] = s[threadIdx.x ^ 1] + s[(threadIdx.x + 5) % 64];
	}
}
void run29(int *y, int *w, const int *x, const int *z, int n) { again<<<(n + 63) / 64, 64>>>(y, w, x, z, n); }

// A tile that is left from another iteration; must stay.
#pragma ktune problem(n = 100, 200; d = 33, 100) in(x[d]) out(y[n])
__global__ void left(int *y, const int *x, int n, int d)
{
	__shared__ int s[32];
	const int i = blockIdx.x * 32 + threadIdx.x;
	int sum = 0;

	s[threadIdx.x] = 0;
	for (int first = 0; first < d; first += 32) {
		if (first + threadIdx.x < d)
			s[threadIdx.x] = x[first + threadIdx.x];
		__syncthreads();
		for (int k = 0; k < 32; k++)
			sum += s[k] * (k + i);
		__syncthreads();
	}
	if (i < n)
		y[i] = sum;
}
void run30(int *y, const int *x, int n, int d) { left<<<(n + 31) / 32, 32>>>(y, x, n, d); }

// An even iteration stores; must stay.
#pragma ktune problem(n = 100, 200; d = 33, 100) in(x[d + 200]) out(y[n])
__global__ void every_other(int *y, const int *x, int n, int d)
{
	__shared__ int s[32];
	const int i = blockIdx.x * 32 + threadIdx.x;
	int sum = 0;

	for (int p = 0; p < 5; p++) {
		if (p % 2 == 0)
			s[threadIdx.x] = p * 32 + threadIdx.x < d ? x[p * 32 + threadIdx.x] : 0;
		__syncthreads();
		sum += s[31 - threadIdx.x] * (p + 1);
		__syncthreads();
	}
	if (i < n)
		y[i] = sum;
}
void run31(int *y, const int *x, int n, int d) { every_other<<<(n + 31) / 32, 32>>>(y, x, n, d); }
