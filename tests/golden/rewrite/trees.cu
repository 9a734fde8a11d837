// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// One tree over several arrays is a fold for each.
// CHECK-LABEL: template of 0 0
// CHECK: parameter ROWS 1 2 4 8 16
// CHECK-NOT: __shared__ float sums
// CHECK: const float sums_all = ${ktune:callee:2}<0>(static_cast<float>(sum));
// CHECK: const float squares_all_b = ${ktune:callee:2}<1>(static_cast<float>(square));
// CHECK: const float greatest_all_c = ${ktune:callee:3}<2>(static_cast<float>(most));
// CHECK: const float mean = sums_all / d;
// CHECK: const float variance = squares_all_b / d - mean * mean;
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d], best[rows])
__global__ void normalize(float *__restrict__ y, float *__restrict__ best, const float *__restrict__ x, int rows, int d)
{
	__shared__ float sums[128], squares[128], greatest[128];
	const int row = blockIdx.x;
	if (row >= rows)
		return;
	float sum = 0.0f, square = 0.0f, most = -INFINITY;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		const float v = x[row * d + i];
		sum += v;
		square += v * v;
		most = fmaxf(most, v);
	}
	sums[threadIdx.x] = sum;
	squares[threadIdx.x] = square;
	greatest[threadIdx.x] = most;
	__syncthreads();
	for (int width = blockDim.x / 2; width > 0; width /= 2) {
		if (threadIdx.x < width) {
			sums[threadIdx.x] += sums[threadIdx.x + width];
			greatest[threadIdx.x] = fmaxf(greatest[threadIdx.x], greatest[threadIdx.x + width]);
			squares[threadIdx.x] += squares[threadIdx.x + width];
		}
		__syncthreads();
	}
	const float mean = sums[0] / d;
	const float variance = squares[0] / d - mean * mean;
	if (threadIdx.x == 0)
		best[row] = greatest[0];
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[row * d + i] = (x[row * d + i] - mean) * rsqrtf(variance + 1.0f);
}
// Rows among blocks of a grid in two dimensions: the grid stays, the threads of a block are any number.
// CHECK-LABEL: template of 1 0
// CHECK-NOT: parameter ROWS
// CHECK-NOT: parameter CLUSTER
// CHECK: parameter BLOCK 32 64 128 256 512 1024
// CHECK: parameter VEC 1 2 4
// CHECK: grid heads | rows | 1
// CHECK: x + ((long long)d * blockIdx.y * heads + (long long)d * blockIdx.x)
// CHECK: const float part_all = ${ktune:callee:2}<0>(static_cast<float>(sum));
#pragma ktune problem(heads = 4; rows = 16; d = 256) in(x[rows * heads * d]) out(y[rows * heads * d])
__global__ void by_head(float *__restrict__ y, const float *__restrict__ x, int heads, int d)
{
	__shared__ float part[64];
	const float *from = x + (blockIdx.y * heads + blockIdx.x) * d;
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += from[i] * from[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = 32; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	const float scale = rsqrtf(part[0] / d + 1.0f);
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[(blockIdx.y * heads + blockIdx.x) * d + i] = from[i] * scale;
}
// An array that the tree leaves out, and one that it folds twice.
// CHECK: declined {{[a-z-]+}} line {{[0-9]+}}
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows])
__global__ void folded_twice(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float sums[128], squares[128];
	float sum = 0.0f, square = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		const float v = x[blockIdx.x * d + i];
		sum += v;
		square += v * v;
	}
	sums[threadIdx.x] = sum;
	squares[threadIdx.x] = square;
	__syncthreads();
	for (int width = blockDim.x / 2; width > 0; width /= 2) {
		if (threadIdx.x < width) {
			sums[threadIdx.x] += sums[threadIdx.x + width];
			sums[threadIdx.x] += sums[threadIdx.x + width];
		}
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = sums[0] + squares[0];
}
void run(float *y, float *best, const float *x, int rows, int heads, int d)
{
	by_head<<<dim3(heads, rows), 64>>>(y, x, heads, d);
	normalize<<<rows, 128>>>(y, best, x, rows, d);
	folded_twice<<<rows, 128>>>(y, x, d);
}
