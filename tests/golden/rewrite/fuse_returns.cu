// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A return in a kernel of a region ends that kernel alone: where the ones behind it do not begin with the same return, of
// what no kernel changes, they are left apart.
// CHECK: template of 7 0
// CHECK: template of 8 0
// CHECK: template of 9 0
// CHECK-NOT: template of
// CHECK-COUNT-7: declined kernels-mix line {{[0-9]+}} a return here would end the later kernels of the region
// CHECK-NOT: declined
#define THREADS 128
#define LEAVE_IF(c) if (c) return
__global__ void scale_active(float *t, const float *x, const int *active, int d)
{
	const int row = blockIdx.x;
	if (!active[row])
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void scale_first(float *t, const float *x, int n, int d)
{
	if (blockIdx.x >= n)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] = x[blockIdx.x * d + i] * 2.0f;
}
__global__ void scale_macro(float *t, const float *x, const int *active, int d)
{
	const int row = blockIdx.x;
	LEAVE_IF(active[row] == 0);
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void scale_late(float *t, const float *x, const int *active, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
	if (active[row] == 0)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += 3.0f;
}
__global__ void add_one(float *t, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += 1.0f;
}
__global__ void flag_once(float *t, int *active, const float *x, int d)
{
	const int row = blockIdx.x;
	if (active[row] == 0)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
	if (threadIdx.x == 0)
		active[row] = 0;
}
__global__ void add_flagged(float *t, int *active, int d)
{
	const int row = blockIdx.x;
	if (active[row] == 0)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += 1.0f;
}
__global__ void signed_first(float *t, const float *x, int n, int d)
{
	if ((int)blockIdx.x - 5 >= n)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] = x[blockIdx.x * d + i] * 2.0f;
}
__global__ void unsigned_first(float *t, int n, int d)
{
	if (blockIdx.x - 5 >= n)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] += 1.0f;
}
__global__ void sum_and_leave(float *t, const float *x, int d)
{
	__shared__ float part[THREADS];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += x[blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = THREADS / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		t[blockIdx.x] = part[0];
		return;
	}
}
__global__ void spread(float *y, const float *t, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		y[blockIdx.x * d + i] = t[blockIdx.x];
}
__global__ void scale_rows(float *t, const float *x, int rows, int d)
{
	const int row = blockIdx.x;
	if (row >= rows)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void add_rows(float *t, int rows, int d)
{
	const int row = blockIdx.x;
	if (row >= rows)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] += 1.0f;
}
__global__ void scale_kept(float *t, const float *x, const int *__restrict__ active, int d)
{
	const int row = blockIdx.x;
	const int keep = active[row];
	if (keep == 0)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[row * d + i] = x[row * d + i] * 2.0f;
}
__global__ void add_kept(float *t, const int *__restrict__ active, int d)
{
	if (active[blockIdx.x] == 0)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] += 1.0f;
}
__global__ void scale_all(float *t, const float *x, int d)
{
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] = x[blockIdx.x * d + i] * 2.0f;
}
__global__ void add_active(float *t, const int *active, int d)
{
	if (active[blockIdx.x] == 0)
		return;
	for (int i = threadIdx.x; i < d; i += THREADS)
		t[blockIdx.x * d + i] += 1.0f;
}
void run(float *y, const float *x, float *t, int *active, int rows, int d, int n)
{
#pragma ktune name(active) problem(rows = 16; d = 256) in(x[rows * d], active[rows]: range(0, 1)) inout(t[rows * d])
	{
		scale_active<<<rows, THREADS>>>(t, x, active, d);
		add_one<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(first) problem(rows = 16; d = 256; n = 3) in(x[rows * d]) inout(t[rows * d])
	{
		scale_first<<<rows, THREADS>>>(t, x, n, d);
		add_one<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(macro) problem(rows = 16; d = 256) in(x[rows * d], active[rows]: range(0, 1)) inout(t[rows * d])
	{
		scale_macro<<<rows, THREADS>>>(t, x, active, d);
		add_one<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(late) problem(rows = 16; d = 256) in(x[rows * d], active[rows]: range(0, 1)) inout(t[rows * d])
	{
		scale_late<<<rows, THREADS>>>(t, x, active, d);
		add_one<<<rows, THREADS>>>(t, d);
	}
#pragma ktune name(changed) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d], active[rows]: range(0, 1))
	{
		flag_once<<<rows, THREADS>>>(t, active, x, d);
		add_flagged<<<rows, THREADS>>>(t, active, d);
	}
#pragma ktune name(compared) problem(rows = 16; d = 256; n = 3) in(x[rows * d]) inout(t[rows * d])
	{
		signed_first<<<rows, THREADS>>>(t, x, n, d);
		unsigned_first<<<rows, THREADS>>>(t, n, d);
	}
#pragma ktune name(lone) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows], y[rows * d])
	{
		sum_and_leave<<<rows, THREADS>>>(t, x, d);
		spread<<<rows, THREADS>>>(y, t, d);
	}
#pragma ktune name(both) problem(rows = 16; d = 256) in(x[rows * d]) inout(t[rows * d])
	{
		scale_rows<<<rows, THREADS>>>(t, x, rows, d);
		add_rows<<<rows, THREADS>>>(t, rows, d);
	}
#pragma ktune name(kept) problem(rows = 16; d = 256) in(x[rows * d], active[rows]: range(0, 1)) inout(t[rows * d])
	{
		scale_kept<<<rows, THREADS>>>(t, x, active, d);
		add_kept<<<rows, THREADS>>>(t, active, d);
	}
#pragma ktune name(last) problem(rows = 16; d = 256) in(x[rows * d], active[rows]: range(0, 1)) inout(t[rows * d])
	{
		scale_all<<<rows, THREADS>>>(t, x, d);
		add_active<<<rows, THREADS>>>(t, active, d);
	}
}
