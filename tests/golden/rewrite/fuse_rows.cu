// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Rows are apart where that is proved; what a kernel of the region writes is not read through the read-only cache.
// CHECK: template of 4 0
// CHECK-NOT: __ldg
// CHECK: template of 5 0
// CHECK-NOT: fetch(
// CHECK: template of 6 0
// CHECK: template of 7 0
// CHECK-NOT: template of
// CHECK-COUNT-4: declined rows-mix line {{[0-9]+}} a block may need here what another block did before
// CHECK-NOT: declined
#define THREADS 128
__global__ void scale_groups(float *t, const float *x, int d)
{
	const int row = blockIdx.x - blockIdx.x % 4;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void add_to_groups(float *t, int d)
{
	const int row = blockIdx.x - blockIdx.x % 4;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = t[row * d + i] + 1.0f;
}
__global__ void scale_listed(float *t, const int *rowof, const float *x, int d)
{
	const int row = blockIdx.x + rowof[blockIdx.x];
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void copy_listed(float *t, const int *rowof, float *y, int d)
{
	const int row = blockIdx.x + rowof[blockIdx.x];
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[blockIdx.x * d + i] = t[row * d + i] + 1.0f;
}
__global__ void scale_diagonals(float *t, const float *x, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[(blockIdx.x + blockIdx.y) * d + i] = x[(blockIdx.x + blockIdx.y) * d + i] * 2.0f;
}
__global__ void copy_diagonals(float *t, float *y, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[(blockIdx.y * gridDim.x + blockIdx.x) * d + i] = t[(blockIdx.x + blockIdx.y) * d + i] + 1.0f;
}
__global__ void scale_even(float *t, const float *x, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + 2 * i] = x[blockIdx.x * d + i] * 2.0f;
}
__global__ void copy_even(float *t, float *y, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[blockIdx.x * d + i] = t[blockIdx.x * d + 2 * i] + 1.0f;
}
__global__ void scale_all(float *t, const float *x, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void add_loaded(float *y, const float *__restrict__ t, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[row * d + i] = __ldg(&t[row * d + i]) + 1.0f;
}
__device__ __forceinline__ float fetch(const float *p)
{
	return __ldg(p);
}
__global__ void add_fetched(float *y, const float *__restrict__ t, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[row * d + i] = fetch(t + row * d + i) + 1.0f;
}
__global__ void scale_heads(float *t, const float *x, int heads, int d)
{
	const int row = blockIdx.y * heads + blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void add_to_heads(float *t, int heads, int d)
{
	const int row = blockIdx.y * heads + blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += 1.0f;
}
__global__ void scale_columns(float *t, const float *x, int d)
{
	float *to = t + (size_t)(blockIdx.x * gridDim.y + blockIdx.y) * d;
	const float *from = x + (size_t)(blockIdx.x * gridDim.y + blockIdx.y) * d;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		to[i] = from[i] * 2.0f;
}
__global__ void add_to_columns(float *t, int d)
{
	float *to = t + (size_t)(blockIdx.x * gridDim.y + blockIdx.y) * d;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		to[i] += 1.0f;
}
void run(float *y, const float *x, float *t, int *active, int rows, int d, int n)
{
#pragma ktune name(groups) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d])
	{
		scale_groups<<<rows, THREADS>>>(t, x, d);
		add_to_groups<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(listed) problem(rows = 16; d = 256) in(x[rows * d + d], active[rows]: range(0, 1)) inout(t[rows * d + d], y[rows * d])
	{
		scale_listed<<<rows, THREADS>>>(t, active, x, d);
		copy_listed<<<rows, THREADS>>>(t, active, y, d);
	}
#pragma ktune name(diagonals) problem(rows = 16; d = 256; n = 4) in(x[(rows + n) * d]) inout(t[(rows + n) * d], y[rows * n * d])
	{
		scale_diagonals<<<dim3(rows, n), THREADS>>>(t, x, d);
		copy_diagonals<<<dim3(rows, n), THREADS>>>(t, y, d);
	}
#pragma ktune name(even) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d + 2 * d], y[rows * d])
	{
		scale_even<<<rows, THREADS>>>(t, x, d);
		copy_even<<<rows, THREADS>>>(t, y, d);
	}
#pragma ktune name(loaded) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d], y[rows * d])
	{
		scale_all<<<rows, THREADS>>>(t, x, d);
		add_loaded<<<rows, THREADS>>>(y, t, d);
	}
#pragma ktune name(fetched) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d], y[rows * d])
	{
		scale_all<<<rows, THREADS>>>(t, x, d);
		add_fetched<<<rows, THREADS>>>(y, t, d);
	}
#pragma ktune name(heads) problem(rows = 16; d = 256; n = 4) in(x[rows * n * d]) inout(t[rows * n * d])
	{
		scale_heads<<<dim3(rows, n), THREADS>>>(t, x, rows, d);
		add_to_heads<<<dim3(rows, n), THREADS>>>(t, rows, d);
	}
#pragma ktune name(columns) problem(rows = 16; d = 256; n = 4) in(x[rows * n * d]) inout(t[rows * n * d])
	{
		scale_columns<<<dim3(rows, n), THREADS>>>(t, x, d);
		add_to_columns<<<dim3(rows, n), THREADS>>>(t, d);
	}
}
