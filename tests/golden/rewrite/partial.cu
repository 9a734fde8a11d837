// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A fold of anything else than what a loop left in every thread, or a result that is another one by then.
// CHECK-NOT: template of
// CHECK: declined shared-used line [[# @LINE + 31]]
// CHECK: declined partial-used line [[# @LINE + 39]]
// CHECK: declined partial-used line [[# @LINE + 60]]
// CHECK: declined shape line [[# @LINE + 78]]
// CHECK: declined partial-used line [[# @LINE + 92]]
// CHECK: declined partial-used line [[# @LINE + 104]]
// CHECK: declined loop-unread line [[# @LINE + 113]]
#define THREADS 64
__device__ float block_sum(float v, float *p)
{
	p[threadIdx.x] = v;
	__syncthreads();
	for (int w = THREADS / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			p[threadIdx.x] += p[threadIdx.x + w];
		__syncthreads();
	}
	float s = p[0];
	__syncthreads();
	return s;
}
// A shared array that a function filled is read.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows])
__global__ void read_behind(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float p[THREADS];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += x[blockIdx.x * d + i];
	float s = block_sum(sum, p);
	if (threadIdx.x == 0)
		y[blockIdx.x] = s + p[0];
}
void run1(float *y, const float *x, int rows, int d) { read_behind<<<rows, THREADS>>>(y, x, d); }
// A sum that starts at one.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows])
__global__ void from_one(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float p[THREADS];
	float sum = 1.0f;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += x[blockIdx.x * d + i];
	p[threadIdx.x] = sum;
	__syncthreads();
	for (int w = THREADS / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			p[threadIdx.x] += p[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = p[0];
}
void run2(float *y, const float *x, int rows, int d) { from_one<<<rows, THREADS>>>(y, x, d); }
// The second sum goes on where the first ended.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows])
__global__ void goes_on(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float p[THREADS];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += x[blockIdx.x * d + i];
	sum = block_sum(sum, p);
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += x[blockIdx.x * d + i] * 2;
	sum = block_sum(sum, p);
	if (threadIdx.x == 0)
		y[blockIdx.x] = sum;
}
void run3(float *y, const float *x, int rows, int d) { goes_on<<<rows, THREADS>>>(y, x, d); }
// Halves of blocks of 96 threads leave values out.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows])
__global__ void odd_tree(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float p[96];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[blockIdx.x * d + i];
	p[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			p[threadIdx.x] += p[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = p[0];
}
void run4(float *y, const float *x, int rows, int d) { odd_tree<<<rows, 96>>>(y, x, d); }
// Threads are counted.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows], z[rows * d])
__global__ void counts(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, int d)
{
	__shared__ float p[THREADS];
	float one = 1;
	for (int i = threadIdx.x; i < d; i += THREADS)
		z[blockIdx.x * d + i] = x[blockIdx.x * d + i];
	float s = block_sum(one, p);
	if (threadIdx.x == 0)
		y[blockIdx.x] = s;
}
void run6(float *y, float *z, const float *x, int rows, int d) { counts<<<rows, THREADS>>>(y, z, x, d); }
// A sum of maxima.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows])
__global__ void mixed(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float p[THREADS];
	float m = 0;
	for (int i = threadIdx.x; i < d; i += THREADS)
		m = fmaxf(m, x[blockIdx.x * d + i]);
	float s = block_sum(m, p);
	if (threadIdx.x == 0)
		y[blockIdx.x] = s;
}
void run7(float *y, const float *x, int rows, int d) { mixed<<<rows, THREADS>>>(y, x, d); }
// Volatile memory.
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) out(y[rows * d])
__global__ void is_volatile(volatile float *__restrict__ y, const volatile float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i] * 2;
}
void run9(float *y, const float *x, int rows, int d) { is_volatile<<<rows, 64>>>(y, x, d); }
