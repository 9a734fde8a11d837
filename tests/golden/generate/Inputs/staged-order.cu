// Kernels that stage in unusual order: stores by threads that do not exist, places stored twice, planes with edges.

// A tile of which each thread stores four elements, by rows.
#pragma ktune problem(n = 33, 64; k = 7, 40) in(a[n * k], b[k * n]) out(c[n * n])
__global__ void coarse(float *c, const float *a, const float *b, int n, int k)
{
	__shared__ float ta[32][33], tb[32][33];
	float sum[4] = {0, 0, 0, 0};

	for (int t = 0; t < k; t += 32) {
		for (int j = 0; j < 32; j += 8) {
			const int row = blockIdx.y * 32 + threadIdx.y + j, column = blockIdx.x * 32 + threadIdx.x;
			ta[threadIdx.y + j][threadIdx.x] = row < n && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0.0f;
			tb[threadIdx.y + j][threadIdx.x] = column < n && t + threadIdx.y + j < k ? b[(t + threadIdx.y + j) * n + column] : 0.0f;
		}
		__syncthreads();
		for (int i = 0; i < 32; i++)
			for (int j = 0; j < 4; j++)
				sum[j] += ta[threadIdx.y + 8 * j][i] * tb[i][threadIdx.x];
		__syncthreads();
	}
	for (int j = 0; j < 4; j++)
		if (blockIdx.y * 32 + threadIdx.y + 8 * j < n && blockIdx.x * 32 + threadIdx.x < n)
			c[(blockIdx.y * 32 + threadIdx.y + 8 * j) * n + blockIdx.x * 32 + threadIdx.x] = sum[j];
}
void r1(float *c, const float *a, const float *b, int n, int k) { coarse<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 8)>>>(c, a, b, n, k); }

// A table of coefficients in a loop over rows.
#pragma ktune problem(rows = 5, 33; d = 20, 100) in(x[rows * d], w[d]) out(y[rows * d])
__global__ void table(float *y, const float *x, const float *w, int rows, int d)
{
	__shared__ float s[128];

	for (int j = threadIdx.x; j < d && j < 128; j += blockDim.x)
		s[j] = w[j];
	__syncthreads();
	for (int r = blockIdx.x; r < rows; r += gridDim.x)
		for (int j = threadIdx.x; j < d; j += blockDim.x)
			y[r * d + j] = x[r * d + j] + s[min(j, 127)];
}
void r2(float *y, const float *x, const float *w, int rows, int d) { table<<<4, 32>>>(y, x, w, rows, d); }

// Three stages in a row, the second of which loads the first.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void chain(int *y, const int *x, int n)
{
	__shared__ int a[64], b[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	a[t] = i < n ? x[i] : t;
	__syncthreads();
	b[t] = a[63 - t] + a[t ^ 1];
	__syncthreads();
	if (i < n)
		y[i] = b[(t + 5) & 63] - b[t];
}
void r3(int *y, const int *x, int n) { chain<<<(n + 63) / 64, 64>>>(y, x, n); }

// The thread that stored may not exist, and what was there before counts.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void layers(int *y, const int *x, int n)
{
	__shared__ int s[256];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	for (int j = t; j < 256; j += 64)
		s[j] = -j;
	__syncthreads();
	s[t * 2] = i < n ? x[i] : 1;
	__syncthreads();
	if (t < 10)
		s[t + 5] = t;
	__syncthreads();
	for (int j = 1; j < 3; j++)
		s[t * 3 + j] = j * 100 + t;
	__syncthreads();
	if (i < n)
		y[i] = s[t] + 3 * s[255 - t] + 7 * s[(t * 5) & 255] + 11 * s[64 + t] + 13 * s[t * 3];
}
void r4(int *y, const int *x, int n) { layers<<<(n + 63) / 64, 64>>>(y, x, n); }

// A negative index of the block, and a start below zero.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void below(int *y, const int *x, int n)
{
	__shared__ int s[72];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	for (int j = t - 4; j < 68; j += 64) {
		const int g = blockIdx.x * 64 + j;
		s[j + 4] = g >= 0 && g < n ? x[g] : -1;
	}
	__syncthreads();
	if (i < n)
		y[i] = s[t] + 3 * s[t + 4] + 5 * s[t + 8];
}
void r5(int *y, const int *x, int n) { below<<<(n + 63) / 64, 64>>>(y, x, n); }

// From unsigned numbers that wrap.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void wraps(int *y, const int *x, unsigned n)
{
	__shared__ int s[80];
	const unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;

	for (unsigned j = t; j < 80; j += 64)
		s[79 - j] = i + j - 3 < n ? x[i + j - 3] : j;
	__syncthreads();
	if (i < n)
		y[i] = s[t] + 3 * s[79 - t];
}
void r6(int *y, const int *x, unsigned n) { wraps<<<(n + 63) / 64, 64>>>(y, x, n); }

// Global indices as the counter.
#pragma ktune problem(n = 100, 1000) in(x[n + 80]) out(y[n])
__global__ void global_counter(int *y, const int *x, int n)
{
	__shared__ int s[80];
	const int first = blockIdx.x * 64, t = threadIdx.x;

	for (int g = first + t; g < first + 80; g += 64)
		s[g - first] = x[g] * (g - t);
	__syncthreads();
	if (first + t < n)
		y[first + t] = s[t] + 3 * s[t + 16] + s[79 - t];
}
void r7(int *y, const int *x, int n) { global_counter<<<(n + 63) / 64, 64>>>(y, x, n); }

// A block of two dimensions, numbered along y first.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void numbered(int *y, const int *x, int n)
{
	__shared__ int s[100];
	const int t = threadIdx.x * 8 + threadIdx.y, i = blockIdx.x * 64 + t;

	for (int j = t; j < 100; j += blockDim.x * blockDim.y)
		s[j] = i - t + j < n ? x[i - t + j] + threadIdx.y : threadIdx.x;
	__syncthreads();
	if (i < n)
		y[i] = s[t + 30] + 3 * s[63 - t];
}
void r8(int *y, const int *x, int n) { numbered<<<(n + 63) / 64, dim3(8, 8)>>>(y, x, n); }

// A loop over rows whose counter depends on the thread's row.
#pragma ktune problem(n = 33, 64; m = 20, 48) in(x[n * m]) out(y[n * m])
__global__ void rows_of(int *y, const int *x, int n, int m)
{
	__shared__ int s[12][20];
	const int i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;

	for (unsigned r = threadIdx.y; r < 12; r += 8)
		for (unsigned c = threadIdx.x; c < 20; c += 16) {
			const int gx = blockIdx.x * 16 + c - 2, gy = blockIdx.y * 8 + r - 2;
			s[r][c] = gx >= 0 && gx < m && gy >= 0 && gy < n ? x[gy * m + gx] : (int)(r * c);
		}
	__syncthreads();
	int sum = 0;
	for (int r = 0; r < 5; r++)
		for (int c = 0; c < 5; c++)
			sum += s[threadIdx.y + r][threadIdx.x + c] * (r * 5 + c);
	if (i < m && j < n)
		y[j * m + i] = sum;
}
void r9(int *y, const int *x, int n, int m) { rows_of<<<dim3((m + 15) / 16, (n + 7) / 8), dim3(16, 8)>>>(y, x, n, m); }

// A halo filled by the threads at the edge of a plane.
#pragma ktune problem(n = 33, 64; m = 20, 48) in(x[n * m]) out(y[n * m])
__global__ void edges(int *y, const int *x, int n, int m)
{
	__shared__ int s[10][18];
	const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, i = blockIdx.x * 16 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
	const bool inside = i < m && j < n;

	s[ty][tx] = inside ? x[j * m + i] : 0;
	if (threadIdx.x == 0)
		s[ty][0] = i > 0 && i - 1 < m && j < n ? x[j * m + i - 1] : 0;
	if (threadIdx.x == 15)
		s[ty][17] = i + 1 < m && j < n ? x[j * m + i + 1] : 0;
	if (threadIdx.y == 0)
		s[0][tx] = j > 0 && i < m && j - 1 < n ? x[(j - 1) * m + i] : 0;
	if (threadIdx.y == 7)
		s[9][tx] = j + 1 < n && i < m ? x[(j + 1) * m + i] : 0;
	__syncthreads();
	if (inside)
		y[j * m + i] = s[ty - 1][tx] + s[ty + 1][tx] * 2 + s[ty][tx - 1] * 3 + s[ty][tx + 1] * 5 - 7 * s[ty][tx];
}
void r10(int *y, const int *x, int n, int m) { edges<<<dim3((m + 15) / 16, (n + 7) / 8), dim3(16, 8)>>>(y, x, n, m); }

// Planes of a volume, one after the other in one tile.
#pragma ktune problem(n = 5, 9; m = 20, 40) in(x[n * m]) out(y[n * m])
__global__ void planes(float *y, const float *x, int n, int m)
{
	__shared__ float s[34];
	const int i = blockIdx.x * 32 + threadIdx.x;

	for (int k = 0; k < n; k++) {
		s[threadIdx.x + 1] = i < m ? x[k * m + i] : 0.0f;
		if (threadIdx.x == 0)
			s[0] = i > 0 && i - 1 < m ? x[k * m + i - 1] : 0.0f;
		if (threadIdx.x == 31)
			s[33] = i + 1 < m ? x[k * m + i + 1] : 0.0f;
		__syncthreads();
		float v = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];
		__syncthreads();
		if (i < m)
			y[k * m + i] = v;
	}
}
void r11(float *y, const float *x, int n, int m) { planes<<<(m + 31) / 32, 32>>>(y, x, n, m); }

// Values of a branch, and of a local that changes after it was stored.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void changed(int *y, const int *x, int n)
{
	__shared__ int s[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;
	int q = i < n ? x[i] : 3;

	if (q > 1)
		q += t;
	else if (q == 0)
		q = -t;
	s[t] = q * 2;
	q = t;
	__syncthreads();
	q += s[63 - t];
	__syncthreads();
	s[63 - t] = t * 3;
	__syncthreads();
	if (i < n)
		y[i] = q + s[t ^ 2];
}
void r12(int *y, const int *x, int n) { changed<<<(n + 63) / 64, 64>>>(y, x, n); }

// A tile whose rows are loaded by an index that was loaded.
#pragma ktune problem(n = 100, 1000) in(x[n], p[n]: range(0, 63)) out(y[n])
__global__ void gather(int *y, const int *x, const int *p, int n)
{
	__shared__ int s[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	s[t] = i < n ? x[i] : -5;
	__syncthreads();
	if (i < n)
		y[i] = s[p[i]];
}
void r13(int *y, const int *x, const int *p, int n) { gather<<<(n + 63) / 64, 64>>>(y, x, p, n); }

// A place that was loaded: must stay.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void scatter(int *y, const int *x, int n)
{
	__shared__ int s[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t, k = x[0] & 31;

	s[t] = t;
	__syncthreads();
	s[(t + k) & 63] = i < n ? x[i] : 1;
	__syncthreads();
	if (i < n)
		y[i] = s[t];
}
void r14(int *y, const int *x, int n) { scatter<<<(n + 63) / 64, 64>>>(y, x, n); }

// An offset that is an argument.
#pragma ktune problem(n = 100, 1000) value(o = 7) in(x[n]) out(y[n])
__global__ void offset(int *y, const int *x, int n, int o)
{
	__shared__ int s[128];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	s[t] = 5;
	s[t + 64] = 6;
	__syncthreads();
	s[t + o] = i < n ? x[i] : 1;
	__syncthreads();
	if (i < n)
		y[i] = s[t] + 3 * s[t + 64];
}
void r15(int *y, const int *x, int n, int o) { offset<<<(n + 63) / 64, 64>>>(y, x, n, o); }

// Uniform branches around stores and loads.
#pragma ktune problem(n = 100, 1000) value(mode = 1) in(x[n]) out(y[n])
__global__ void modes(int *y, const int *x, int n, int mode)
{
	__shared__ int s[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	s[t] = t;
	__syncthreads();
	if (mode == 1 && blockIdx.x % 2 == 0)
		s[63 - t] = i < n ? x[i] : 0;
	__syncthreads();
	if (mode > 0) {
		if (n / mode > 3)
			s[t] += mode;
	}
	__syncthreads();
	if (i < n)
		y[i] = s[(t + 9) & 63];
}
void r16(int *y, const int *x, int n, int mode) { modes<<<(n + 63) / 64, 64>>>(y, x, n, mode); }

// What threads of the block have loaded before, and write later.
#pragma ktune problem(n = 100, 1000) in(x[n]) inout(y[n])
__global__ void mixed(int *y, const int *x, int n)
{
	__shared__ int s[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;

	if (i < n)
		y[i] += 3;
	s[t] = i < n ? x[i] : 0;
	__syncthreads();
	if (i < n && (i ^ 1) < n)
		y[i ^ 1] += s[t];
}
void r17(int *y, const int *x, int n) { mixed<<<(n + 63) / 64, 64>>>(y, x, n); }

// Halves and small integers.
#pragma ktune problem(n = 100, 1000) in(x[n], z[n]) out(y[n])
__global__ void small(short *y, const unsigned char *x, const short *z, int n)
{
	__shared__ unsigned char a[64];
	__shared__ short b[64];
	const unsigned char t = threadIdx.x;
	const int i = blockIdx.x * 64 + t;

	a[t] = i < n ? x[i] + 250 : 1;
	b[t] = i < n ? z[i] * 3000 : 1;
	__syncthreads();
	if (i < n)
		y[i] = a[63 - t] + b[(t + 1) % 64];
}
void r18(short *y, const unsigned char *x, const short *z, int n) { small<<<(n + 63) / 64, 64>>>(y, x, z, n); }

// 64-bit counters and indices.
#pragma ktune problem(n = 100, 1000) in(x[n]) out(y[n])
__global__ void wide(int *y, const int *x, int n)
{
	__shared__ int s[100];
	const size_t t = threadIdx.x, i = (size_t)blockIdx.x * 64 + t;

	for (size_t j = t; j < 100; j += 64)
		s[j] = i - t + j < n ? x[i - t + j] : 5;
	__syncthreads();
	if (i < n)
		y[i] = s[99 - t] + s[t];
}
void r19(int *y, const int *x, int n) { wide<<<(n + 63) / 64, 64>>>(y, x, n); }

// A structure of which parts are stored.
struct pair { int a, b; };
#pragma ktune problem(n = 100, 1000) in(x[n], z[n]) out(y[n])
__global__ void pairs(int *y, const int *x, const int *z, int n)
{
	__shared__ pair s[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;
	pair mine = {0, 1};

	if (i < n)
		mine = {x[i], z[i]};
	s[t] = mine;
	__syncthreads();
	if (t < 32)
		s[t].b = t;
	__syncthreads();
	if (i < n)
		y[i] = s[63 - t].a + 3 * s[63 - t].b + s[t].b;
}
void r20(int *y, const int *x, const int *z, int n) { pairs<<<(n + 63) / 64, 64>>>(y, x, z, n); }
