// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Two kernels whose blocks work on one row each become one; the scratch array between them is gone. In the second region a
// block reads what its neighbour wrote: left apart.
// CHECK: template of 0 0
// CHECK: strategy fuse
// CHECK: const float norm_of_row = rsqrtf(part_all / d);
// CHECK-NOT: norm[row] =
// CHECK: y_pack.item[lane] = x_pack.item[lane] * norm_of_row;
// CHECK: declined rows-mix line 38 a block may need here what another block did before
#define THREADS 256
__global__ void squares(float *__restrict__ norm, const float *__restrict__ x, int d)
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
		norm[row] = rsqrtf(part[0] / d);
}
__global__ void scale(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ norm, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[row * d + i] = x[row * d + i] * norm[row];
}
__global__ void shifted(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ norm, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[row * d + i] = x[row * d + i] * norm[row + 1];
}
void run(float *y, const float *x, float *norm, int rows, int d)
{
#pragma ktune name(normalise) problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d]) scratch(norm[rows])
	{
		squares<<<rows, THREADS>>>(norm, x, d);
		scale<<<rows, THREADS>>>(y, x, norm, d);
	}
#pragma ktune name(mixed) problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d]) inout(norm[rows + 1])
	{
		squares<<<rows, THREADS>>>(norm, x, d);
		shifted<<<rows, THREADS>>>(y, x, norm, d);
	}
}
