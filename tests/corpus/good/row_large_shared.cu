/*
# 96 KiB of dynamic shared memory.
region = "rowsum"
backend = "cuda"
launch.block = [256]
launch.grid = ["rows"]
launch.shared = 98304
*/
KERNEL CANDIDATE(ROWSUM)
{
	extern __shared__ float large[];
	int l = threadIdx.x;
	for (int k = l; k < 24576; k += 256)
		large[k] = k < d ? x[(i64)blockIdx.x * d + k] : 0.0f;
	__syncthreads();
	for (int step = 12288; step >= 3; step /= 2) {
		for (int k = l; k < step; k += 256)
			large[k] += large[k + step];
		__syncthreads();
	}
	if (l == 0)
		y[blockIdx.x] = (large[0] + large[1]) + large[2];
}
