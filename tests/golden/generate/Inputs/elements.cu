// One element a thread, and what a block makes of them together: totals per block, rows of as many elements as a block has threads.
#pragma ktune problem(n = 65536, 1000, 255) in(x[n]) out(y[ceil_div(n, 256)])
__global__ void block_sums(float *y, const float *x, int n)
{
	__shared__ float s[256];
	unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	if (i < n)
		s[t] = x[i] * x[i];
	else
		s[t] = 0.0f;
	__syncthreads();
	for (unsigned o = blockDim.x / 2; o > 0; o >>= 1) {
		if (t < o)
			s[t] += s[t + o];
		__syncthreads();
	}
	if (t == 0)
		y[blockIdx.x] = s[0];
}
#pragma ktune problem(n = 65536, 1000, 129) in(x[n]) out(y[ceil_div(n, 128)])
__global__ void interleaved(int *y, const int *x, int n)
{
	extern __shared__ int s[];
	const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	s[t] = i < n ? x[i] : 0;
	__syncthreads();
	for (unsigned o = 1; o < blockDim.x; o *= 2) {
		if (t % (2 * o) == 0)
			s[t] += s[t + o];
		__syncthreads();
	}
	if (t == 0)
		y[blockIdx.x] = s[0];
}
#pragma ktune problem(n = 4096, 1000) in(x[n]) in(w[n]) inout(out[1] : zeros)
__global__ void dot_once(float *out, const float *x, const float *w, int n)
{
	const int i = blockIdx.x * 64 + threadIdx.x;
	float v = 0;
	if (i < n)
		v = x[i] * w[i];
	for (int o = 16; o > 0; o >>= 1)
		v += __shfl_down_sync(0xffffffff, v, o);
	__shared__ float parts[2];
	if ((threadIdx.x & 31) == 0)
		parts[threadIdx.x >> 5] = v;
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(out, parts[0] + parts[1]);
}
#pragma ktune problem(rows = 64, 7) in(x[rows * 128]) out(y[rows * 128])
__global__ void softmax_128(float *y, const float *x)
{
	__shared__ float s[128];
	const int t = threadIdx.x;
	const float v = x[blockIdx.x * 128 + t];
	s[t] = v;
	__syncthreads();
	for (int o = 64; o > 0; o >>= 1) {
		if (t < o)
			s[t] = fmaxf(s[t], s[t + o]);
		__syncthreads();
	}
	const float most = s[0];
	__syncthreads();
	const float e = __expf(v - most);
	s[t] = e;
	__syncthreads();
	for (int o = 64; o > 0; o >>= 1) {
		if (t < o)
			s[t] += s[t + o];
		__syncthreads();
	}
	y[blockIdx.x * 128 + t] = e / s[0];
}
// In place: each thread reads its element before the first one stores.
#pragma ktune problem(rows = 64, 7) inout(x[rows * 64]) out(sums[rows])
__global__ void centred(float *x, float *sums)
{
	__shared__ float s[64];
	const int t = threadIdx.x;
	s[t] = x[blockIdx.x * 64 + t];
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (t < o)
			s[t] += s[t + o];
		__syncthreads();
	}
	if (t == 0)
		sums[blockIdx.x] = s[0];
	x[blockIdx.x * 64 + t] -= s[0] / 64;
}
// The first thread changes what the others have loaded before.
#pragma ktune problem(rows = 64, 7) inout(x[rows * 64]) out(y[rows * 64])
__global__ void replaced(float *x, float *y)
{
	__shared__ float s[64];
	const int t = threadIdx.x;
	const float v = x[blockIdx.x * 64 + 63 - t];
	s[t] = v;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (t < o)
			s[t] += s[t + o];
		__syncthreads();
	}
	if (t == 0)
		x[blockIdx.x * 64] = s[0];
	y[blockIdx.x * 64 + t] = v / s[0];
}
// Elements of other threads are stored where they were loaded before the barrier.
#pragma ktune problem(rows = 64, 7) inout(x[rows * 64])
__global__ void reversed(float *x)
{
	__shared__ float s[64];
	const int t = threadIdx.x;
	const float v = x[blockIdx.x * 64 + t];
	s[t] = v;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (t < o)
			s[t] += s[t + o];
		__syncthreads();
	}
	x[blockIdx.x * 64 + 63 - t] = v / s[0];
}
#pragma ktune problem(n = 6400, 77) in(x[n]) out(least[ceil_div(n, 64)]) out(all[ceil_div(n, 64)])
__global__ void least_and_all(unsigned *least, int *all, const unsigned *x, int n)
{
	__shared__ unsigned m[64];
	__shared__ int a[64];
	const int t = threadIdx.x, i = blockIdx.x * 64 + t;
	if (i < n) {
		m[t] = x[i];
		a[t] = (int)x[i] >> 3;
	} else {
		m[t] = 0xffffffffu;
		a[t] = -1;
	}
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (t < o) {
			m[t] = min(m[t], m[t + o]);
			a[t] &= a[t + o];
		}
		__syncthreads();
	}
	if (t == 0) {
		least[blockIdx.x] = m[0];
		all[blockIdx.x] = a[0];
	}
}
// A loop of each thread over columns of its row is in the loop over elements.
#pragma ktune problem((rows, d) = (640, 37), (77, 5)) in(x[rows * d]) out(y[ceil_div(rows, 64)])
__global__ void row_norms(float *y, const float *x, int rows, int d)
{
	__shared__ float s[64];
	const int t = threadIdx.x, row = blockIdx.x * 64 + t;
	float acc = 0;
	if (row < rows)
		for (int j = 0; j < d; j++)
			acc += fabsf(x[row * d + j]);
	s[t] = acc;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (t < o)
			s[t] = fmaxf(s[t], s[t + o]);
		__syncthreads();
	}
	if (t == 0)
		y[blockIdx.x] = s[0];
}

void launches(float *f, const float *g, int *i, const int *j, unsigned *u, const unsigned *v, int n, int rows, int d)
{
	block_sums<<<(n + 255) / 256, 256>>>(f, g, n);
	interleaved<<<(n + 127) / 128, 128, 128 * sizeof(int)>>>(i, j, n);
	dot_once<<<(n + 63) / 64, 64>>>(f, g, g, n);
	softmax_128<<<rows, 128>>>(f, g);
	centred<<<rows, 64>>>(f, f);
	replaced<<<rows, 64>>>(f, f);
	reversed<<<rows, 64>>>(f);
	least_and_all<<<(n + 63) / 64, 64>>>(u, i, v, n);
	row_norms<<<(rows + 63) / 64, 64>>>(f, g, rows, d);
}
