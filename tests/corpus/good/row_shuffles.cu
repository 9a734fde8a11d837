/*
# A warp a row, by shuffles.
region = "rowsum"
backend = "cuda"
launch.block = [32, 4]
launch.grid = ["rows / 4"]
*/
KERNEL CANDIDATE(ROWSUM)
{
	int row = 4 * blockIdx.x + threadIdx.y;
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = threadIdx.x; k < d; k += 32)
		sum += x[(i64)row * d + k];
	for (int step = 16; step; step /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, step);
	if (threadIdx.x == 0)
		y[row] = sum;
}
