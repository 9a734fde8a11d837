// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// In the text of all kernels of a region each name means what it means in its own: a local of one is no constant of
// another one, a parameter keeps its type, and one that is changed is not given to others. Macros and types that mean
// different things keep the kernels apart.
// CHECK: template of 0 0
// CHECK: width_2 = d
// CHECK: += width;
// CHECK: template of 2 0
// CHECK: int k = static_cast<int>(n);
// CHECK: unsigned int k_2 = static_cast<unsigned int>(n);
// CHECK-NOT: template of
// CHECK: declined instance-unknown line {{[0-9]+}} a macro names 'row', which other kernels of the region have, too
// CHECK: declined kernels-mix line {{[0-9]+}} one kernel of the region sets this, and another one uses it
// CHECK: declined instance-unknown line {{[0-9]+}} what the rules would read does not compile: redefinition of 'Pair'
// CHECK: declined instance-unknown line {{[0-9]+}} a macro that 'scale_weighted' uses is defined again after it
#define THREADS 128
constexpr int width = 3;
#define PLACE (row * d)
__global__ void scale_wide(float *t, const float *x, int d)
{
	const int row = blockIdx.x;
	const int width = d;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * width + i] = x[row * width + i] * 2.0f;
}
__global__ void add_width(float *t, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += width;
}
__global__ void scale_placed(float *t, const float *x, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[PLACE + i] = x[PLACE + i] * 2.0f;
}
__global__ void add_placed(float *y, int d)
{
	const int row = gridDim.x - 1 - blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[PLACE + i] += blockIdx.x;
}
__global__ void signed_distance(float *t, const float *x, int d, int k)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = i - k < 0 ? x[row * d + i] : 0.0f;
}
__global__ void unsigned_distance(float *t, int d, unsigned k)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += i - k < 1000000u ? 1.0f : 2.0f;
}
__global__ void scale_half(float *t, const float *x, int d)
{
	const int row = blockIdx.x;
	const int whole = d;
	d = d / 2;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * whole + i] = x[row * whole + i] * 2.0f;
}
__global__ void add_one(float *t, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += 1.0f;
}
__global__ void scale_pairs(float *t, const float *x, int d)
{
	struct Pair { float a, b; };
	for (int i = threadIdx.x; i < d; i += THREADS) {
		Pair p{x[blockIdx.x * d + i], 2.0f};
		t[blockIdx.x * d + i] = p.a * p.b;
	}
}
__global__ void subtract_pairs(float *t, int d)
{
	struct Pair { float b, a; };
	for (int i = threadIdx.x; i < d; i += THREADS) {
		Pair p{t[blockIdx.x * d + i], 3.0f};
		t[blockIdx.x * d + i] = p.a - p.b;
	}
}
#define WEIGHT 2.0f
__global__ void scale_weighted(float *t, const float *x, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] = x[blockIdx.x * d + i] * WEIGHT;
}
#undef WEIGHT
#define WEIGHT 3.0f
__global__ void add_weight(float *t, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] += WEIGHT;
}
void run(float *y, const float *x, float *t, int *active, int rows, int d, int n)
{
#pragma ktune name(wide) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d])
	{
		scale_wide<<<rows, THREADS>>>(t, x, d);
		add_width<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(placed) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d], y[rows * d])
	{
		scale_placed<<<rows, THREADS>>>(t, x, d);
		add_placed<<<rows, THREADS>>>(y, d);
	}
#pragma ktune name(typed) problem(rows = 16; d = 256; n = 100) in(x[rows * d]) inout(t[rows * d])
	{
		signed_distance<<<rows, THREADS>>>(t, x, d, n);
		unsigned_distance<<<rows, THREADS>>>(t, d, n);
	}
#pragma ktune name(half) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d])
	{
		scale_half<<<rows, THREADS>>>(t, x, d);
		add_one<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(pairs) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d])
	{
		scale_pairs<<<rows, THREADS>>>(t, x, d);
		subtract_pairs<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(weighted) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d])
	{
		scale_weighted<<<rows, THREADS>>>(t, x, d);
		add_weight<<<rows, THREADS>>>(t, d);
	}
}
