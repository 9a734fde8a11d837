// Block sizes that are compiled in: as a macro, a template argument, a number; and rows in chunks of a block.
#define BLOCK 256
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d]) out(y[rows])
__global__ void row_sum(float *y, const float *x, int d)
{
	__shared__ float s[BLOCK];
	int tid = threadIdx.x;
	float acc = 0.f;
	for (int i = tid; i < d; i += BLOCK)
		acc += x[blockIdx.x * d + i];
	s[tid] = acc;
	__syncthreads();
	for (int o = BLOCK / 2; o > 0; o >>= 1) {
		if (tid < o)
			s[tid] += s[tid + o];
		__syncthreads();
	}
	if (tid == 0)
		y[blockIdx.x] = s[0];
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d]) in(g[d]) out(y[rows * d])
template <int TPB> __global__ void rms_norm(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ g, int d, float eps)
{
	__shared__ float warp_sums[TPB / 32];
	const int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	float ss = 0;
	for (int i = threadIdx.x; i < d; i += TPB) {
		float v = x[row * d + i];
		ss += v * v;
	}
#pragma unroll
	for (int o = 16; o > 0; o >>= 1)
		ss += __shfl_xor_sync(0xffffffff, ss, o);
	if (lane == 0)
		warp_sums[warp] = ss;
	__syncthreads();
	float total = 0;
#pragma unroll
	for (int w = 0; w < TPB / 32; w++)
		total += warp_sums[w];
	float r = rsqrtf(total / d + eps);
	for (int i = threadIdx.x; i < d; i += TPB)
		y[row * d + i] = x[row * d + i] * r * g[i];
}
#pragma ktune problem(n = 65536, 1000, 255) in(x[n]) in(w[n]) inout(out[1] : zeros)
__global__ void dot(float *out, const float *x, const float *w, int n)
{
	__shared__ float cache[256];
	int tid = threadIdx.x + blockIdx.x * 256;
	float temp = 0;
	while (tid < n) {
		temp += x[tid] * w[tid];
		tid += 256 * gridDim.x;
	}
	cache[threadIdx.x] = temp;
	__syncthreads();
	for (int s = 128; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			cache[threadIdx.x] += cache[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(out, cache[0]);
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d]) out(y[rows])
__global__ void __launch_bounds__(BLOCK) row_max(float *y, const float *x, int d)
{
	__shared__ float s[BLOCK];
	const int n_iter = (d + BLOCK - 1) / BLOCK;
	float m = -1e30f;
	for (int it = 0; it < n_iter; it++) {
		int c = it * BLOCK + threadIdx.x;
		if (c < d)
			m = max(m, x[blockIdx.x * d + c]);
	}
	s[threadIdx.x] = m;
	__syncthreads();
	for (int o = BLOCK / 2; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + o]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = s[0];
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d]) out(y[rows])
__global__ void row_sum_by_base(float *y, const float *x, int d)
{
	__shared__ float s[128];
	float m = 0;
	for (int base = 0; base < d; base += 128) {
		int c = base + threadIdx.x;
		if (c < d)
			m += x[blockIdx.x * d + c];
	}
	s[threadIdx.x] = m;
	__syncthreads();
	for (int o = 64; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			s[threadIdx.x] += s[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = s[0];
}
#pragma ktune problem((rows, d) = (64, 1024), (37, 512)) in(x[rows * d]) out(y[rows * d])
__global__ void scale(float *__restrict__ y, const float *__restrict__ x, int d)
{
	int n = d / blockDim.x;
	for (int k = 0; k < n; ++k) {
		int c = k * blockDim.x + threadIdx.x;
		y[blockIdx.x * d + c] = 2 * x[blockIdx.x * d + c];
	}
}
void run(float *y, const float *x, const float *g, int n, int rows, int d)
{
	row_sum<<<rows, BLOCK>>>(y, x, d);
	rms_norm<256><<<rows, 256>>>(y, x, g, d, 1e-5f);
	dot<<<32, 256>>>(y, x, g, n);
	row_max<<<rows, BLOCK>>>(y, x, d);
	row_sum_by_base<<<rows, 128>>>(y, x, d);
	scale<<<rows, 256>>>(y, x, d);
}
