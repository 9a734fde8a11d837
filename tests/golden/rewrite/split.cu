// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Blocks that share a row keep the packs of their part of it; loops that share a row out in two ways hand nothing on.
// CHECK: template of 0
// CHECK: restriction TURNS == 0 || (d) <= BLOCK * VEC * TURNS * SPLIT
// CHECK: (turn * ${= SPLIT * BLOCK} + ${if SPLIT != 1}block_piece * ${BLOCK} + ${end}threadIdx.x) * ${VEC};
// CHECK: template of 1
// CHECK-NOT: pack
#pragma ktune problem(rows = 16; d = 128) in(x[rows * d]) inout(y[rows * d]) out(z[rows * d])
__global__ void kept_split(float *__restrict__ z, float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] += x[blockIdx.x * d + i];
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		z[blockIdx.x * d + i] = y[blockIdx.x * d + i] * x[blockIdx.x * d + i];
}
void run6(float *z, float *y, const float *x, int rows, int d) { kept_split<<<rows, 64>>>(z, y, x, d); }
#pragma ktune problem(rows = 16; d = 100) in(x[rows * d]) inout(y[rows * d]) out(z[rows * d * 2])
__global__ void two_ways(float *__restrict__ z, float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] += x[blockIdx.x * d + i];
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		float a = y[blockIdx.x * d + i];
		if (a > 1e30f)
			continue;
		z[(blockIdx.x * d + i) * 2] = a;
		z[(blockIdx.x * d + i) * 2 + 1] = -a;
	}
}
void run5(float *z, float *y, const float *x, int rows, int d) { two_ways<<<rows, 64>>>(z, y, x, d); }
