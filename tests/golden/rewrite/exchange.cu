// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Functions that fold over a block by shuffles, however they are written: the number that takes a warp's place stays a
// bound, a result that only the first thread has is used by the first thread only.
// CHECK: template of 0
// CHECK: float top = fmax(static_cast<float>(-1e+20), ${ktune:callee:3}<0>(static_cast<float>(largest)));
// CHECK: sum = ${ktune:callee:2}<1>(static_cast<float>(sum));
// CHECK: declined partial-used line [[# @LINE + 60]]
// CHECK: declined threads-wait line [[# @LINE + 79]]
#define WARPS (blockDim.x / 32)
__device__ float warp_max(float v)
{
	for (int o = 16; o > 0; o >>= 1)
		v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
	return v;
}
__device__ float block_max(float v)
{
	static __shared__ float parts[32];
	int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	v = warp_max(v);
	if (lane == 0)
		parts[warp] = v;
	__syncthreads();
	v = lane < WARPS ? parts[lane] : -1e20f;
	return warp_max(v);
}
__device__ float first_sum(float v)
{
	static __shared__ float parts[32];
	for (int o = 16; o > 0; o >>= 1)
		v += __shfl_down_sync(0xffffffffu, v, o);
	if (threadIdx.x % warpSize == 0)
		parts[threadIdx.x / warpSize] = v;
	__syncthreads();
	v = threadIdx.x < WARPS ? parts[threadIdx.x] : 0.0f;
	if (threadIdx.x < 32)
		for (int o = 16; o > 0; o >>= 1)
			v += __shfl_down_sync(0xffffffffu, v, o);
	return v;
}
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d])
__global__ void softmax(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float total;
	const float *from = x + (size_t)blockIdx.x * d;
	float largest = -INFINITY, sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		largest = fmaxf(largest, from[i]);
	float top = block_max(largest);
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += expf(from[i] - top);
	sum = first_sum(sum);
	if (threadIdx.x == 0)
		total = sum;
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[(size_t)blockIdx.x * d + i] = expf(from[i] - top) / total;
}
void run(float *y, const float *x, int rows, int d) { softmax<<<rows, 256>>>(y, x, d); }
// All threads use what only the first one has.
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d])
__global__ void wrong(float *__restrict__ y, const float *__restrict__ x, int d)
{
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	float all = first_sum(sum);
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[(size_t)blockIdx.x * d + i] = x[(size_t)blockIdx.x * d + i] / all;
}
void run2(float *y, const float *x, int rows, int d) { wrong<<<rows, 256>>>(y, x, d); }
// With five warps the last of them is left out.
__device__ float four_warps(float v)
{
	static __shared__ float parts[32];
	v = warp_max(v);
	parts[threadIdx.x / 32] = v;
	__syncthreads();
	return fmaxf(fmaxf(parts[0], parts[1]), fmaxf(parts[2], parts[3]));
}
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows])
__global__ void short_of_one(float *__restrict__ y, const float *__restrict__ x, int d)
{
	float largest = -INFINITY;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		largest = fmaxf(largest, x[(size_t)blockIdx.x * d + i]);
	float top = four_warps(largest);
	if (threadIdx.x == 0)
		y[blockIdx.x] = top;
}
void run3(float *y, const float *x, int rows, int d) { short_of_one<<<rows, 160>>>(y, x, d); }
