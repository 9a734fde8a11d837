#pragma ktune problem(n = 100000, 16777216) in(x[n]) inout(y[1]: zeros)
__global__ void squares(const float *x, float *y, int n)
{
	__shared__ float parts[32];
	float own = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		own += x[i] * x[i];
	for (int offset = 16; offset > 0; offset /= 2)
		own += __shfl_down_sync(0xffffffffu, own, offset);
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	if (lane == 0)
		parts[warp] = own;
	__syncthreads();
	if (warp == 0) {
		own = lane < blockDim.x / 32 ? parts[lane] : 0.0f;
		for (int offset = 16; offset > 0; offset /= 2)
			own += __shfl_down_sync(0xffffffffu, own, offset);
		if (lane == 0)
			atomicAdd(y, own);
	}
}
#pragma ktune problem(rows = 64, 8192; d = 768) in(x[rows * d]) out(y[rows])
__global__ void means(const float *x, float *y, int d)
{
	__shared__ float parts[32];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[blockIdx.x * d + i];
	for (int offset = 16; offset > 0; offset >>= 1)
		sum += __shfl_xor_sync(0xffffffffu, sum, offset);
	if ((threadIdx.x & 31) == 0)
		parts[threadIdx.x >> 5] = sum;
	__syncthreads();
	if (threadIdx.x < 32) {
		float v = threadIdx.x < 8 ? parts[threadIdx.x] : 0.0f;
		for (int offset = 4; offset > 0; offset >>= 1)
			v += __shfl_xor_sync(0xffffffffu, v, offset);
		if (threadIdx.x == 0)
			y[blockIdx.x] = v / d;
	}
}
void run(const float *x, float *y, int n, int rows, int d)
{
	squares<<<min(256, (n + 255) / 256), 256>>>(x, y, n);
	means<<<rows, 256>>>(x, y, d);
}
