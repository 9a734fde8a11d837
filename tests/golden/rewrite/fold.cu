// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Trees in shared memory become shuffles; what two loops read stays in registers where it fits.
// CHECK: parameter TURNS 0 1 2 4 8
// CHECK: restriction TURNS == 0 || (d) <= BLOCK * VEC * TURNS * CLUSTER
// CHECK: strategy shuffle
// CHECK: strategy row_cache
// CHECK-NOT: __shared__ float part
// CHECK: pack_f32 x_pack_kept[${TURNS}];
// CHECK: const float part_all = ${ktune:callee:3}<0>(static_cast<float>(largest));
// CHECK: largest = part_all;
// CHECK: const float part_all_b = ${ktune:callee:2}<1>(static_cast<float>(sum));
// CHECK: y_pack.item[lane] = ${if FAST}__fdividef(${end}${if FAST}__expf${else}expf${end}(x_pack.item[lane] - largest)${if FAST},${else} /${end} sum${if FAST})${end};
#define THREADS 128
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d])
__global__ void softmax(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float part[THREADS];
	const float *from = x + (size_t)blockIdx.x * d;
	float *to = y + (size_t)blockIdx.x * d;
	float largest = -INFINITY;
	for (int i = threadIdx.x; i < d; i += THREADS)
		largest = fmaxf(largest, from[i]);
	part[threadIdx.x] = largest;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width >>= 1) {
		if (threadIdx.x < width)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + width]);
		__syncthreads();
	}
	largest = part[0];
	__syncthreads();
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += THREADS)
		sum += expf(from[i] - largest);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = THREADS / 2; width > 0; width >>= 1) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	sum = part[0];
	for (int i = threadIdx.x; i < d; i += THREADS)
		to[i] = expf(from[i] - largest) / sum;
}
void run(float *y, const float *x, int rows, int d) { softmax<<<rows, THREADS>>>(y, x, d); }
