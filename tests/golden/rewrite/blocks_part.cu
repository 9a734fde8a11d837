// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// One loop over everything gets other blocks, and another number of them: nothing else may ask for a block's index, or how many
// there are, and what a block does once is to add its part of the whole to what does not depend on the block.
// CHECK-NOT: template of {{[0-7]}} 0
// CHECK: template of 8 0
// CHECK: template of 9 0
// CHECK: template of 10 0
// CHECK: template of 11 0
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void block(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] + blockIdx.x;
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void extent(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	const float blocks = gridDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] * blocks;
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void named(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	const int b = blockIdx.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] * (b % 2);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void counted(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	if (threadIdx.x == 0)
		atomicAdd(z, 1.0f);
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i];
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void of_block(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(&z[blockIdx.x], part[0]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void one_more(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(z, part[0] + 1.0f);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void square(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(z, part[0] * part[0]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void rooted(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(z, sqrtf(part[0]));
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void added(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(z, part[0]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void mean(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(&z[1], part[0] / n);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void scaled(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(z, scale * part[0]);
}
#pragma ktune problem(n = 100, 640) in(x[n]) inout(y[n], z[(n + 63) / 64 + 1]) value(scale = 0.5f) tolerance(abs = 1e-3, rel = 1e-3)
__global__ void named_part(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, float scale, int n)
{
	__shared__ float part[64];
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int o = 32; o > 0; o >>= 1) {
		if (threadIdx.x < o)
			part[threadIdx.x] += part[threadIdx.x + o];
		__syncthreads();
	}
	const float whole = part[0];
	if (threadIdx.x == 0)
		atomicAdd(z, whole);
}

void run(float *y, float *z, const float *x, int n)
{
	block<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	extent<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	named<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	counted<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	of_block<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	one_more<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	square<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	rooted<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	added<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	mean<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	scaled<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
	named_part<<<(n + 63) / 64, 64>>>(y, z, x, 0.5f, n);
}
