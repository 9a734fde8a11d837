// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A tree starts at half a block's threads, in a counter that has this number.
// CHECK: template of 0 0
// CHECK: template of 1 0
// CHECK: template of 2 0
// CHECK: template of 3 0
// CHECK-NOT: template of
// CHECK-COUNT-9: declined shape line
// CHECK-NOT: declined
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void halved(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void shifted(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned w = blockDim.x >> 1; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void literal(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = 64; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void byte(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned char w = 64; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void grid(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = gridDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void grid_shifted(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = gridDim.x >> 1; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void thread_shifted(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = threadIdx.x >> 1; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void rows_down(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.y / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void planes_down(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.z >> 1; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void wide_byte(float *y, const float *x, int d)
{
	__shared__ float part[1024];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned char w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void signed_byte(float *y, const float *x, int d)
{
	__shared__ float part[256];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (signed char w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void flag(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (bool w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void block_shifted(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockIdx.x >> 1; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run(float *y, const float *x, int rows, int d)
{
	halved<<<rows, 128>>>(y, x, d);
	shifted<<<rows, 128>>>(y, x, d);
	literal<<<rows, 128>>>(y, x, d);
	byte<<<rows, 128>>>(y, x, d);
	grid<<<rows, 128>>>(y, x, d);
	grid_shifted<<<rows, 128>>>(y, x, d);
	thread_shifted<<<rows, 128>>>(y, x, d);
	rows_down<<<rows, 128>>>(y, x, d);
	planes_down<<<rows, 128>>>(y, x, d);
	wide_byte<<<rows, 1024>>>(y, x, d);
	signed_byte<<<rows, 256>>>(y, x, d);
	flag<<<rows, 128>>>(y, x, d);
	block_shifted<<<rows, 128>>>(y, x, d);
}
