// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate 0,0,2,64,2,0,1,0,0,0,0 1,0,1,8,1,0,0,0,0,0 -- -std=c++17 > %t
// RUN: %FileCheck %s < %t

// A row a warp, in blocks of one dimension: rows of a warp, warps of a block, and loops over the row are free.
// CHECK: template of 0/0 by ir: items_y, block_size, stride, loop_unroll, launch_bounds
// CHECK-NEXT: ITEMS_Y [1, 2, 4, 8] original 1
// CHECK-NEXT: BLOCK [128, 64, 256, 512, 1024] original 128: threads of a block
// CHECK-NEXT: STEPS [1, 2, 4, 8] original 1
// CHECK-NEXT: STEP_SPREAD [0, 1] original 0
// CHECK-NEXT: STEP_VECTOR [0, 1] original 0
// CHECK: guard ((rows * 32 + 127) / 128) % ITEMS_Y == 0 || rows <= ((rows * 32 + 127) / 128) * (4)
// CHECK: guard (ceil_div((rows * 32 + 127) / 128, ITEMS_Y)) * 128 % BLOCK == 0 || rows <= ((rows * 32 + 127) / 128) * 4
// CHECK: launch <<<['ceil_div((ceil_div((rows * 32 + 127) / 128, ITEMS_Y)) * 128, BLOCK)', '1', '1'], ['(BLOCK / 32) * 32', '1', '1'], 0>>>
// Rows along y of the block, counted along the grid's x.
// CHECK: template of 1/0 by ir: items_y, block_size, stride, loop_unroll, launch_bounds
// CHECK: BLOCK_Y [4, 1, 2, 8, 16, 32] original 4: threads of a block along y
// CHECK: restriction BLOCK_Y * 32 <= device.max_threads_per_block
// CHECK: restriction BLOCK_Y * 32 >= 64
// CHECK: launch <<<['ceil_div((ceil_div((rows + 3) / 4, ITEMS_Y)) * 4, BLOCK_Y)', '1', '1'], ['32', 'BLOCK_Y', '1'], 0>>>
// Two rows of a warp side by side, two elements at a time.
// CHECK: const int row = (int)((blockIdx.x * (blockDim.x / 32u) + threadIdx.x / 32u) * 2u);
// CHECK-NEXT: const int row_2 = (int)((blockIdx.x * (blockDim.x / 32u) + threadIdx.x / 32u) * 2u + 1u);
// CHECK-NEXT: if (row < rows && row_2 < rows) {
// CHECK: for (int i = (int)(threadIdx.x % 32u); i < end_2; i += step) {
// CHECK: *(float2 *)
// CHECK: __shfl_xor_sync
// Eight rows of a block, each as it was.
// CHECK: if ((int)(blockIdx.x * blockDim.y + threadIdx.y) < rows) {
// CHECK: for (int i = (int)threadIdx.x; i < end; i += 32) {
#pragma ktune problem((rows, d) = (64, 96), (37, 100)) in(x[rows * d]) out(y[rows * d])
__global__ void center(float *__restrict__ y, const float *__restrict__ x, int rows, int d)
{
	const int lane = threadIdx.x % warpSize, row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
	if (row >= rows)
		return;
	x += row * d;
	y += row * d;
	float sum = 0;
	for (int i = lane; i < d; i += warpSize)
		sum += x[i];
	for (int by = 16; by > 0; by /= 2)
		sum += __shfl_xor_sync(~0u, sum, by);
	for (int i = lane; i < d; i += warpSize)
		y[i] = x[i] - sum / d;
}

#pragma ktune problem((rows, d) = (64, 96), (37, 100)) in(x[rows * d]) out(y[rows])
__global__ void longest(int *__restrict__ y, const int *__restrict__ x, int rows, int d)
{
	const int row = blockIdx.x * 4 + threadIdx.y;
	int most = -1;
	if (row < rows) {
		for (int i = threadIdx.x; i < d; i += 32)
			most = max(most, x[row * d + i]);
		for (int by = 16; by > 0; by /= 2)
			most = max(most, __shfl_down_sync(~0u, most, by));
		if (threadIdx.x == 0)
			y[row] = most;
	}
}

void run(float *y, const float *x, int *most, const int *v, int rows, int d)
{
	center<<<(rows * 32 + 127) / 128, 128>>>(y, x, rows, d);
	longest<<<(rows + 3) / 4, dim3(32, 4)>>>(most, v, rows, d);
}
