// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Blocks get other rows only where all that asks for the block's index can be seen: no object is made that may, no
// function is called whose text is not known, or that asks, or that gets an argument from elsewhere. Such kernels stay.
// CHECK: template of 0
// CHECK: parameter BESIDE 0 1
// CHECK-NOT: template of {{[1-4]}}
// CHECK: template of 5
// The grid is as launched: its blocks are what is counted, not the rows.
// CHECK: guard BESIDE == 0 || (1 << 20) * max(SPLIT, ceil_div(d, BLOCK * VEC * UNROLL)) <= 4294967295
struct place {
	float row;
	__device__ place() : row(blockIdx.x) {}
};
__device__ int elsewhere();
__device__ inline float asked(float a = blockIdx.x) { return a; }
__device__ inline int hidden() { return (blockIdx).x; }
__device__ inline float twice(float a) { return 2 * a; }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void seen(float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = twice(x[blockIdx.x * d + i]);
}
void run0(float *y, const float *x, int rows, int d) { seen<<<rows, 64>>>(y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void made(float *__restrict__ y, const float *__restrict__ x, int d)
{
	place at;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i] + at.row;
}
void run1(float *y, const float *x, int rows, int d) { made<<<rows, 64>>>(y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void unknown(float *__restrict__ y, const float *__restrict__ x, int d)
{
	const int row = elsewhere();
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i] + row;
}
void run2(float *y, const float *x, int rows, int d) { unknown<<<rows, 64>>>(y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void omitted(float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i] + asked();
}
void run3(float *y, const float *x, int rows, int d) { omitted<<<rows, 64>>>(y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void unread(float *__restrict__ y, const float *__restrict__ x, int d)
{
	const int row = hidden();
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[row * d + i] = 2 * x[row * d + i];
}
void run4(float *y, const float *x, int rows, int d) { unread<<<rows, 64>>>(y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d], s[1 << 20]) out(y[rows * d])
__global__ void counted(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ s, int d, int rows)
{
	const float f = s[blockIdx.x];
	for (int r = blockIdx.x; r < rows; r += gridDim.x)
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[r * d + i] = 2 * x[r * d + i] + f * 0;
}
void run5(float *y, const float *x, const float *s, int rows, int d) { counted<<<1 << 20, 64>>>(y, x, s, d, rows); }
