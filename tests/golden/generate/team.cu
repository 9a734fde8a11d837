// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate 0,0,1,0,0,128,0,16,8,0 1,0,0,1,0,0,128,1,0,8,0 2,0,0,1,0,0,128,1,0,0,4,0 -- -std=c++17 > %t
// RUN: %FileCheck %s < %t

// A column a thread: its rows are shared by threads of a block, with neighbouring columns side by side.
// CHECK: template of 0/0 by ir: items, block_size, loop_unroll, team, launch_bounds
// CHECK: TEAM [1, 2, 4, 8, 16, 32, 64, 128, 256] original 1: threads that share the loops of one work item
// CHECK-NEXT: TEAM_WIDTH [8, 32] original 8: neighbouring work items between two threads of a team
// CHECK: restriction TEAM > 1 || TEAM_WIDTH == 8
// CHECK-NEXT: restriction TEAM == 1 || ITEMS == 1
// CHECK: restriction TEAM == 1 || BLOCK % (TEAM * TEAM_WIDTH) == 0
// CHECK-NOT: <= 32
// CHECK: launch <<<['(ceil_div((ceil_div((d + 127) / 128, ITEMS)) * 128, BLOCK)) * TEAM', '1', '1'], ['BLOCK', '1', '1'], 0>>>
#pragma ktune problem(rows = 4096; d = 64, 1000) in(x[rows * d]) out(low[d], mean[d])
__global__ void columns(float *__restrict__ low, float *__restrict__ mean, const float *__restrict__ x, int rows, int d)
{
	const int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c >= d)
		return;
	float least = x[c], sum = 0;
	for (int r = 0; r < rows; r++) {
		least = fminf(least, x[r * d + c]);
		sum += x[r * d + c];
	}
	low[c] = least;
	mean[c] = sum / rows;
}

// The place of a row's least value, the last one of equal values.
// CHECK: template of 1/0 by ir: read_only, items, block_size, loop_vector, loop_unroll, team, launch_bounds
// CHECK: restriction TEAM == 1 || LOOP_VECTOR == 1
// CHECK-NEXT: restriction TEAM == 1 || BLOCK % (TEAM) == 0
#pragma ktune problem(rows = 4096; d = 1000) in(x[rows * d]) out(at[rows])
__global__ void last_least(int *at, const float *x, long rows, int d)
{
	const long r = blockIdx.x * (long)blockDim.x + threadIdx.x;
	float best = 1e30f;
	int index = -1;
	if (r < rows) {
		const float *row = x + r * d;
		for (int i = 0; i < d; ++i, ++row)
			if (best >= *row) {
				index = i;
				best = *row;
			}
		at[r] = index;
	}
}

// A row a thread whose loops write what others read: the threads of a team synchronise in between.
// CHECK: template of 2/0 by ir: read_only, items, block_size, loop_vector, loop_unroll, team, launch_bounds
// CHECK: guard TEAM == 1 || disjoint(x, rows * d, y, rows * d)
#pragma ktune problem(rows = 4096; d = 1000) in(x[rows * d]) inout(y[rows * d])
__global__ void normalise(float *y, const float *x, int rows, unsigned d)
{
	const int r = blockIdx.x * blockDim.x + threadIdx.x;
	float squares = 0;
	if (r < rows) {
		unsigned i = 0;
		while (i < d) {
			y[r * d + i] += x[r * d + i];
			squares = fmaf(y[r * d + i], y[r * d + i], squares);
			i++;
		}
		for (unsigned j = 0; j < d; j += 2)
			y[r * d + j] *= rsqrtf(squares / d);
	}
}
void run(float *low, float *mean, int *at, const float *x, int rows, int d)
{
	columns<<<(d + 127) / 128, 128>>>(low, mean, x, rows, d);
	last_least<<<(rows + 127) / 128, 128>>>(at, x, rows, d);
	normalise<<<(rows + 127) / 128, 128>>>(low, x, rows, d);
}

// CHECK: const int c = (int)(blockIdx.x * 8u + (thread / 128u * 8u + thread % 8u));
// CHECK: for (long long r = (long long)member; r < end; r += 16LL) {
// CHECK: = __shfl_xor_sync(mask, least_2, 16, 32);
// CHECK: __syncthreads();
// CHECK-NEXT: if (within) {
// CHECK: for (unsigned int number = 1u; number < 4u; number++) {
// CHECK-NEXT: least_2 = fminf(least_2, parts[base + number * 8u]);
// CHECK: if (member == 0u) {
// CHECK-NEXT: low[c] = least;

// CHECK: const unsigned int mask = 255u << thread % 32u / 8u * 8u;
// CHECK: if (best_2 >= t) {
// CHECK-NEXT: index_2 = i_2;
// CHECK-NEXT: best_2 = t;
// CHECK-NEXT: at_2 = i;
// CHECK: if (other < best_2 || other == best_2 && other_2 > at_2) {

// CHECK: __syncwarp(mask);
// CHECK: squares_2 = fmaf(t, t, squares_2);
// CHECK: squares += squares_2;
// CHECK-NEXT: __syncwarp(mask);
// CHECK: for (long long j = (long long)member * 2LL; j < end_2; j += 8LL) {
