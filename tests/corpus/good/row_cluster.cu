/*
# Two blocks of a cluster share a row through distributed shared memory.
region = "rowsum"
backend = "cuda"
launch.grid = ["2 * rows"]
*/
extern "C" __global__ void __cluster_dims__(2, 1, 1) CANDIDATE(ROWSUM)
{
	__shared__ float t[64];
	auto cluster = cooperative_groups::this_cluster();
	int row = blockIdx.x / 2, l = threadIdx.x;
	float sum = 0.0f;
	for (int k = 64 * (blockIdx.x % 2) + l; k < d; k += 128)
		sum += x[(i64)row * d + k];
	t[l] = sum;
	__syncthreads();
	for (int step = 32; step; step /= 2) {
		if (l < step)
			t[l] += t[l + step];
		__syncthreads();
	}
	cluster.sync();
	if (blockIdx.x % 2 == 0 && l == 0)
		y[row] = t[0] + *cluster.map_shared_rank(t, 1);
	cluster.sync();
}
