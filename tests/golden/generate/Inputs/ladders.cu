// The last warp without barriers of the block, by volatile accesses; ladders of branches; sums in the thread's own element; shared memory of the launch.
__device__ void last_warp(volatile float *s, int t)
{
#pragma unroll
	for (int by = 32; by > 0; by >>= 1) {
		const float sum = s[t] + s[t + by];
		__syncwarp();
		s[t] = sum;
		__syncwarp();
	}
}
template <unsigned SIZE> __device__ int unrolled(volatile int *s, unsigned t, int own)
{
	if (SIZE >= 64) { own += s[t + 32]; __syncwarp(); s[t] = own; __syncwarp(); }
	if (SIZE >= 32) { own += s[t + 16]; __syncwarp(); s[t] = own; __syncwarp(); }
	if (SIZE >= 16) { own += s[t + 8]; __syncwarp(); s[t] = own; __syncwarp(); }
	if (SIZE >= 8) { own += s[t + 4]; __syncwarp(); s[t] = own; __syncwarp(); }
	if (SIZE >= 4) { own += s[t + 2]; __syncwarp(); s[t] = own; __syncwarp(); }
	if (SIZE >= 2) { own += s[t + 1]; __syncwarp(); s[t] = own; __syncwarp(); }
	return own;
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d]) out(y[rows])
__global__ void own_element(float *y, const float *x, int d)
{
	extern __shared__ float sdata[];
	int tid = threadIdx.x;
	sdata[tid] = 0;
	for (int i = tid; i < d; i += blockDim.x)
		sdata[tid] += x[blockIdx.x * d + i];
	__syncthreads();
	for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
		if (tid < s)
			sdata[tid] += sdata[tid + s];
		__syncthreads();
	}
	if (tid < 32)
		last_warp(sdata, tid);
	if (tid == 0)
		y[blockIdx.x] = sdata[0];
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d] : range(-100, 100)) out(y[rows])
template <unsigned SIZE> __global__ void ladder(int *y, const int *x, int d)
{
	extern __shared__ int parts[];
	const unsigned t = threadIdx.x;
	int sum = 0;
	for (int i = t; i < d; i += SIZE)
		sum += x[blockIdx.x * d + i];
	parts[t] = sum;
	__syncthreads();
	if (SIZE >= 512) { if (t < 256) { parts[t] = sum = sum + parts[t + 256]; } __syncthreads(); }
	if (SIZE >= 256) { if (t < 128) { parts[t] = sum = sum + parts[t + 128]; } __syncthreads(); }
	if (SIZE >= 128) { if (t < 64) { parts[t] = sum = sum + parts[t + 64]; } __syncthreads(); }
	if (t < 32)
		sum = unrolled<SIZE>(parts, t, sum);
	if (t == 0)
		y[blockIdx.x] = sum;
}
#pragma ktune problem(n = 65536, 1000, 255) in(x[n]) inout(out[1] : zeros)
__global__ void ladder_grid(float *out, const float *x, int n)
{
	__shared__ float s[1024];
	unsigned t = threadIdx.x;
	float v = 0;
	for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
		v += x[i];
	s[t] = v;
	__syncthreads();
	if (blockDim.x >= 1024 && t < 512)
		s[t] += s[t + 512];
	__syncthreads();
	if (blockDim.x >= 512 && t < 256)
		s[t] += s[t + 256];
	__syncthreads();
	if (blockDim.x >= 256 && t < 128)
		s[t] += s[t + 128];
	__syncthreads();
	if (blockDim.x >= 128 && t < 64)
		s[t] += s[t + 64];
	__syncthreads();
	if (t < 32)
		last_warp(s, t);
	if (t == 0)
		atomicAdd(out, s[0]);
}
#pragma ktune problem((rows, d) = (64, 1000), (37, 100)) in(x[rows * d]) out(y[rows])
__global__ void volatile_array(float *y, const float *x, int d)
{
	__shared__ volatile float s[128];
	const int t = threadIdx.x;
	float most = -3e38f;
	for (int i = t; i < d; i += 128)
		most = fmaxf(most, x[blockIdx.x * d + i]);
	s[t] = most;
	__syncthreads();
	if (t < 64)
		s[t] = fmaxf(s[t], s[t + 64]);
	__syncthreads();
	if (t < 32) {
		s[t] = fmaxf(s[t], s[t + 32]);
		__syncwarp();
		for (int by = 16; by > 0; by /= 2) {
			const float other = s[t + by];
			__syncwarp();
			s[t] = fmaxf(s[t], other);
			__syncwarp();
		}
	}
	if (t == 0)
		y[blockIdx.x] = s[0];
}
void run(float *y, const float *x, int *counts, const int *values, int n, int rows, int d)
{
	own_element<<<rows, 256, 256 * sizeof(float)>>>(y, x, d);
	ladder<256><<<rows, 256, 256 * sizeof(int)>>>(counts, values, d);
	ladder_grid<<<32, 256>>>(y, x, n);
	volatile_array<<<rows, 128>>>(y, x, d);
}
