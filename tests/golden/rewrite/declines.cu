// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What is not proved is not done; the reason stands on the line.
#define THREADS 128
// CHECK: declined carried line [[# @LINE + 5]]
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void carried(float *__restrict__ y, const float *__restrict__ x, int n)
{
	float last = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = x[i] - last;
		last = x[i];
	}
}
// CHECK: declined geometry-used line [[# @LINE + 5]]
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void placed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[i] = x[i] * threadIdx.x;
}
// CHECK: declined partial-used line [[# @LINE + 6]]
#pragma ktune problem(rows = 16; n = 4096) in(x[rows * n]) out(y[rows])
__global__ void partial(float *__restrict__ y, const float *__restrict__ x, int n)
{
	float sum = 0.0f;
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		sum += x[row * n + i];
	y[row] = sum;
}
// CHECK: declined shared-used line [[# @LINE + 16]]
#pragma ktune problem(rows = 16; n = 4096) in(x[rows * n]) out(y[rows])
__global__ void peeking(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[THREADS];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < n; i += THREADS)
		sum += x[blockIdx.x * n + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0] - part[1];
}
// A difference is no sum: the order of its parts matters to the tree.
// CHECK: declined {{geometry-used|shared-used|shape}}
#pragma ktune problem(rows = 16; n = 4096) in(x[rows * n]) out(y[rows])
__global__ void difference(float *__restrict__ y, const float *__restrict__ x, int n)
{
	__shared__ float part[THREADS];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < n; i += THREADS)
		sum += x[blockIdx.x * n + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] -= part[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
// CHECK: declined loop-unread line [[# @LINE + 8]] memory is reached through a pointer that is set more than once
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void twice(float *y, const float *x, int n)
{
	const float *p = x;
	if (n > 100)
		p = x + blockIdx.x * n;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[blockIdx.x * n + i] = p[i];
}
// Whatever a sum of a pointer and an index is handed on to, and what is written through another name.
// CHECK: declined loop-unread line [[# @LINE + 6]] a function gets a pointer here
__device__ void put(float *to, float value) { *to = value; }
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void handed(float *y, const float *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		put(y + blockIdx.x * n + i, x[blockIdx.x * n + i]);
}
// CHECK: declined loop-unread line [[# @LINE + 5]]
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void renamed(float *y, const float *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float &to = y[blockIdx.x * n + i];
		to = x[blockIdx.x * n + i];
	}
}
// An object may keep a pointer.
struct Sink {
	float *to;
	__device__ void operator()(int at, float value) const { to[at] = value; }
};
// CHECK: declined loop-unread line [[# @LINE + 6]]
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void kept(float *y, const float *x, int n)
{
	const Sink sink{y};
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		sink(blockIdx.x * n + i, x[blockIdx.x * n + i]);
}
// What is missing stands nowhere: the kernel's own line.
// The function may store to the place of another iteration: the last one of a thread has to remain the last one.
__device__ void put_last(float *to, int at, float value)
{
	to[at % 64] = value;
}
// CHECK: declined loop-unread line [[# @LINE + 5]]
#pragma ktune problem(n = 4096) in(x[n]) inout(y[64])
__global__ void opaque(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		put_last(y, i, x[i]);
}
void run_opaque(float *y, const float *x, int n)
{
	opaque<<<8, THREADS>>>(y, x, n);
}
// CHECK: declined no-shared-loop line [[# @LINE + 3]]
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void loopless(float *__restrict__ y, const float *__restrict__ x, int n)
{
	if (threadIdx.x < 64)
		y[threadIdx.x] = x[threadIdx.x];
}
// An index that is read from memory, and one that does not grow by one: single elements.
// CHECK: no vector access
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void waiting(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float value = x[i];
		if (value < 0)
			continue;
		y[i] = value;
	}
}
void run(float *y, const float *x, int rows, int n)
{
	loopless<<<1, THREADS>>>(y, x, n);
	twice<<<rows, THREADS>>>(y, x, n);
	kept<<<rows, THREADS>>>(y, x, n);
	handed<<<rows, THREADS>>>(y, x, n);
	renamed<<<rows, THREADS>>>(y, x, n);
	carried<<<64, THREADS>>>(y, x, n);
	placed<<<1, THREADS>>>(y, x, n);
	partial<<<rows, THREADS>>>(y, x, n);
	peeking<<<rows, THREADS>>>(y, x, n);
	difference<<<rows, THREADS>>>(y, x, n);
	waiting<<<64, THREADS>>>(y, x, n);
}
