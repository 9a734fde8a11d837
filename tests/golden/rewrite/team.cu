// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A warp a row and several rows a block; several blocks a row, that fold through each other's shared memory. A function that
// folds is read for the number that it is instantiated with; rows that return do so for all threads.
// CHECK: parameter ROWS 1 2 4 8 16
// CHECK: parameter CLUSTER 1 2 4 8
// CHECK: restriction ROWS == 1 || BLOCK == 32
// CHECK: restriction (rows + 1) % ROWS == 0
// CHECK: restriction CLUSTER == 1 || device.cc >= 90
// CHECK: restriction CLUSTER == 1 || ROWS == 1
// CHECK: restriction TURNS == 0 || (d) <= BLOCK * VEC * TURNS * CLUSTER
// CHECK: strategy warp_row
// CHECK: strategy cluster
// CHECK: grid (rows + 1) / ROWS | CLUSTER | 1
// CHECK: *static_cast<V *>(__cluster_map_shared_rank(&parts[blockIdx.y * ${= BLOCK / 32} + threadIdx.x / 32], threadIdx.x % 32)) = value;
// CHECK: ${if BLOCK / 32 * CLUSTER <= 8}
// CHECK-NEXT: V all[${= BLOCK / 32 * CLUSTER}];
// CHECK: value = parts[threadIdx.x % ${= min(32, BLOCK / 32 * CLUSTER)}];
// CHECK: if (PLACE < 1)
// CHECK: all[at] = value + other;
// CHECK: __cluster_dims__(1, ${CLUSTER}, 1)
// CHECK: __cluster_barrier_arrive_relaxed();
// CHECK: const unsigned block_row = blockIdx.x${if ROWS > 1} * ${ROWS} + threadIdx.y${end};
// CHECK: if (block_row >= rows)
// CHECK-NEXT: return;
// CHECK: (turn * ${if CLUSTER > 1}${= CLUSTER * BLOCK}${else}${BLOCK}${end} + ${if CLUSTER > 1}blockIdx.y * ${BLOCK} + ${end}threadIdx.x) * ${VEC};
// CHECK: float m = ${ktune:callee:2}<0>(static_cast<float>(sum)) / d;
// CHECK: ${ktune:callee:2}<1>(static_cast<float>(squares))
// CHECK: if (threadIdx.x == 0${if CLUSTER > 1} && blockIdx.y == 0${end})
template <int THREADS> __device__ float block_sum(float value, float *partial)
{
	partial[threadIdx.x] = value;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width /= 2) {
		if (threadIdx.x < width)
			partial[threadIdx.x] += partial[threadIdx.x + width];
		__syncthreads();
	}
	float sum = partial[0];
	__syncthreads();
	return sum;
}
#pragma ktune problem(rows = 15; d = 1024) in(x[rows * d]) out(y[rows * d], mean[rows])
__global__ void normalise(float *__restrict__ y, float *__restrict__ mean, const float *__restrict__ x, int rows, int d)
{
	__shared__ float partial[256];
	if (blockIdx.x >= rows)
		return;
	const float *from = x + (size_t)blockIdx.x * d;
	float sum = 0.0f, squares = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += from[i];
	float m = block_sum<256>(sum, partial) / d;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		squares += (from[i] - m) * (from[i] - m);
	float r = rsqrtf(block_sum<256>(squares, partial) / d);
	if (threadIdx.x == 0)
		mean[blockIdx.x] = m;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[(size_t)blockIdx.x * d + i] = (from[i] - m) * r;
}
void run(float *y, float *mean, const float *x, int rows, int d) { normalise<<<rows + 1, 256>>>(y, mean, x, rows, d); }
