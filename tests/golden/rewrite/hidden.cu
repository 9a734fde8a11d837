// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A call that is all of a macro is a call: threads meet in it.
// CHECK: template of 0 0
// CHECK-NOT: SPLIT
// A macro that begins with its argument writes it.
// CHECK-NOT: template of 1 0
// Where a thread's counter ends is used behind its loop.
// CHECK-NOT: template of 2 0
// CHECK: template of 3 0
#include <cuda_runtime.h>
#define SYNC __syncthreads()
#define NEXT(s) (s = s * 1664525u + 1013904223u)
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) inout(z[rows * d]) out(y[rows * d])
__global__ void synced(float *__restrict__ y, float *__restrict__ z, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		z[blockIdx.x * d + i] = x[blockIdx.x * d + i];
	SYNC;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = z[blockIdx.x * d + d - 1 - i];
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void random(float *__restrict__ y, const float *__restrict__ x, int n)
{
	unsigned state = 1;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] + (NEXT(state) & 1);
}
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) out(y[rows * d])
__global__ void behind(float *__restrict__ y, const float *__restrict__ x, int d)
{
	int i;
	for (i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i];
	__syncthreads();
	if (threadIdx.x == 0)
		y[blockIdx.x * d] = i;
}
// A counter that is declared in front, and nothing else is done with it.
#pragma ktune problem(rows = 5, 16; d = 100, 257) in(x[rows * d]) out(y[rows * d])
__global__ void before(float *__restrict__ y, const float *__restrict__ x, int d)
{
	int i = threadIdx.x;
	for (; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i];
}

void run(float *y, float *z, const float *x, int n, int rows, int d)
{
	synced<<<rows, 64>>>(y, z, x, d);
	random<<<(n + 63) / 64, 64>>>(y, x, n);
	behind<<<rows, 64>>>(y, x, d);
	before<<<rows, 64>>>(y, x, d);
}
