// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Between two kernels that become one is a device symbol that is read after the region: it is written, whatever another
// symbol is that a clause calls scratch.
// CHECK: template of 0 0
// CHECK: strategy fuse
// CHECK: const float scales_of_row = rsqrtf(part_all / d);
// CHECK: scales[row] = scales_of_row;
// CHECK: y_pack.item[lane] = x_pack.item[lane] * scales_of_row;
#define THREADS 256
__device__ float other[64], scales[64];
__global__ void squares(const float *__restrict__ x, int d)
{
	__shared__ float part[THREADS];
	const int row = blockIdx.x;
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += x[row * d + i] * x[row * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		scales[row] = rsqrtf(part[0] / d);
}
__global__ void scale(float *__restrict__ y, const float *__restrict__ x, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[row * d + i] = x[row * d + i] * scales[row];
}
void run(float *y, const float *x, int rows, int d)
{
#pragma ktune name(normalise) problem(rows = 64; d = 1024) scratch(other[rows]) in(x[rows * d]) out(y[rows * d]) out(scales[rows])
	{
		squares<<<rows, THREADS>>>(x, d);
		scale<<<rows, THREADS>>>(y, x, d);
	}
}
