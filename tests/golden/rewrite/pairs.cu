// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// The greatest value of a row and where it first stands: one fold over pairs. Data of few values has many that are equal.
// CHECK-LABEL: template of 0 0
// CHECK: parameter ROWS 1 2 4 8 16
// CHECK: parameter CLUSTER 1 2 4 8
// CHECK: value = other.value > value.value || (other.value == value.value && other.place < value.place) ? other : value;
// CHECK-NOT: __shared__ float values
// CHECK: if (x_pack.item[lane] > value) {
// CHECK: const ${ktune:callee:5}<float, int> values_all = ${ktune:callee:6}<0>(${ktune:callee:5}<float, int>{value, place});
// CHECK: best[block_row] = values_all.value;
// CHECK: where[block_row] = values_all.place;
#define THREADS 64
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d] : range(0, 20)) out(best[rows], where[rows])
__global__ void first_greatest(float *best, int *where, const float *x, int d)
{
	__shared__ float values[THREADS];
	__shared__ int places[THREADS];
	const float *row = x + (size_t)blockIdx.x * d;
	float value = -INFINITY;
	int place = d;
	for (int i = threadIdx.x; i < d; i += THREADS) {
		if (row[i] > value) {
			value = row[i];
			place = i;
		}
	}
	values[threadIdx.x] = value;
	places[threadIdx.x] = place;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width) {
			float other = values[threadIdx.x + width];
			int there = places[threadIdx.x + width];
			if (other > values[threadIdx.x] || (other == values[threadIdx.x] && there < places[threadIdx.x])) {
				values[threadIdx.x] = other;
				places[threadIdx.x] = there;
			}
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		best[blockIdx.x] = values[0];
		where[blockIdx.x] = places[0];
	}
}
// The least one, places first, elements without names, a loop over rows; all values may be the one that it starts with.
// CHECK-LABEL: template of 1 0
// CHECK: value = other.value < value.value || (other.value == value.value && other.place < value.place) ? other : value;
// CHECK: const ${ktune:callee:5}<float, unsigned int> v_all = ${ktune:callee:7}<0>(${ktune:callee:5}<float, unsigned int>{least, at});
// CHECK: y[row * d + i] = {{.*}} - v_all.value + (float)v_all.place;
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d] : range(0, 3)) out(y[rows * d])
__global__ void from_least(float *y, const float *x, int rows, int d)
{
	__shared__ float v[64];
	__shared__ unsigned p[64];
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		unsigned at = 7;
		float least = 1.0f;
		for (int i = threadIdx.x; i < d; i += blockDim.x) {
			const float e = x[row * d + i];
			if (least > e || (e == least && i < at)) {
				at = i;
				least = e;
			}
		}
		p[threadIdx.x] = at;
		v[threadIdx.x] = least;
		__syncthreads();
		for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
			if (threadIdx.x < s) {
				if (v[threadIdx.x + s] < v[threadIdx.x] ||
				    (v[threadIdx.x + s] == v[threadIdx.x] && p[threadIdx.x + s] < p[threadIdx.x])) {
					p[threadIdx.x] = p[threadIdx.x + s];
					v[threadIdx.x] = v[threadIdx.x + s];
				}
			}
			__syncthreads();
		}
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] - v[0] + (float)p[0];
		__syncthreads();
	}
}
// A tree that keeps its own value: which of equal ones it finds is a matter of how many threads there are.
// CHECK-NOT: template of
// CHECK: declined ties line [[# @LINE + 18]] which of equal values is taken
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(where[rows])
__global__ void any_greatest(int *where, const float *x, int d)
{
	__shared__ float values[64];
	__shared__ int places[64];
	float value = -INFINITY;
	int place = 0;
	for (int i = threadIdx.x; i < d; i += 64) {
		float e = x[blockIdx.x * d + i];
		if (e > value) {
			value = e;
			place = i;
		}
	}
	values[threadIdx.x] = value;
	places[threadIdx.x] = place;
	__syncthreads();
	for (int width = 32; width > 0; width /= 2) {
		if (threadIdx.x < width) {
			if (values[threadIdx.x + width] > values[threadIdx.x]) {
				values[threadIdx.x] = values[threadIdx.x + width];
				places[threadIdx.x] = places[threadIdx.x + width];
			}
		}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		where[blockIdx.x] = places[0];
}
// The last one of a thread's equal values.
// CHECK: declined ties line [[# @LINE + 10]] which of equal values is taken
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(where[rows])
__global__ void last_greatest(int *where, const float *x, int d)
{
	__shared__ float values[64];
	__shared__ int places[64];
	float value = -INFINITY;
	int place = 0;
	for (int i = threadIdx.x; i < d; i += 64) {
		float e = x[blockIdx.x * d + i];
		if (e >= value) {
			value = e;
			place = i;
		}
	}
	values[threadIdx.x] = value;
	places[threadIdx.x] = place;
	__syncthreads();
	if (threadIdx.x == 0)
		where[blockIdx.x] = places[0];
}
// One thread starts with a value of its own.
// CHECK: declined partial-used line [[# @LINE + 10]] threads start with different values
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(where[rows])
__global__ void begins_elsewhere(int *where, const float *x, int d)
{
	__shared__ float values[64];
	__shared__ int places[64];
	float value = -INFINITY;
	int place = 0;
	if (threadIdx.x == 0)
		value = 1.0f;
	for (int i = threadIdx.x; i < d; i += 64)
		if (x[blockIdx.x * d + i] > value) {
			value = x[blockIdx.x * d + i];
			place = i;
		}
	values[threadIdx.x] = value;
	places[threadIdx.x] = place;
	__syncthreads();
	for (int width = 32; width > 0; width /= 2) {
		if (threadIdx.x < width) {
			const float other = values[threadIdx.x + width];
			const int there = places[threadIdx.x + width];
			if (other > values[threadIdx.x] || (other == values[threadIdx.x] && there < places[threadIdx.x])) {
				values[threadIdx.x] = other;
				places[threadIdx.x] = there;
			}
		}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		where[blockIdx.x] = places[0];
}
// A maximum that goes on from row to row is one of the rows that a block happens to take.
// CHECK: declined partial-used line [[# @LINE + 7]] threads start with different values
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(best[rows])
__global__ void goes_on(float *best, const float *x, int rows, int d)
{
	__shared__ float part[64];
	float value = -INFINITY;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += 64)
			value = fmaxf(value, x[row * d + i]);
		part[threadIdx.x] = value;
		__syncthreads();
		for (int width = 32; width > 0; width /= 2) {
			if (threadIdx.x < width)
				part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + width]);
			__syncthreads();
		}
		if (threadIdx.x == 0)
			best[row] = part[0];
		__syncthreads();
	}
}
void run(float *y, int *where, const float *x, int rows, int d)
{
	first_greatest<<<rows, THREADS>>>(y, where, x, d);
	from_least<<<rows < 16 ? rows : 16, 64>>>(y, x, rows, d);
	any_greatest<<<rows, 64>>>(where, x, d);
	last_greatest<<<rows, 64>>>(where, x, d);
	begins_elsewhere<<<rows, 64>>>(where, x, d);
	goes_on<<<rows < 16 ? rows : 16, 64>>>(y, x, rows, d);
}
