/*
# Cooperative tiles of eight threads.
region = "rowsum"
backend = "cuda"
launch.grid = ["rows / 8"]
*/
KERNEL CANDIDATE(ROWSUM)
{
	auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
	int row = 8 * blockIdx.x + tile.meta_group_rank();
	float sum = 0.0f;
	for (int k = tile.thread_rank(); row < rows && k < d; k += 8)
		sum += x[(i64)row * d + k];
	for (int step = 4; step; step /= 2)
		sum += tile.shfl_down(sum, step);
	if (row < rows && tile.thread_rank() == 0)
		y[row] = sum;
}
