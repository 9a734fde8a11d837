/*
# Two buffers in shared memory, one filled by asynchronous copies while the other is read.
region = "rowsum"
backend = "cuda"
launch.block = [128]
launch.grid = ["rows"]
*/
KERNEL CANDIDATE(ROWSUM)
{
	__shared__ float t[2][128];
	__shared__ float part[128];
	const float *from = x + (i64)blockIdx.x * d;
	int l = threadIdx.x, tiles = (d + 127) / 128;
	float sum = 0.0f;
	if (l < d)
		__pipeline_memcpy_async(&t[0][l], from + l, 4);
	__pipeline_commit();
	for (int k = 0; k < tiles; k++) {
		int next = (k + 1) * 128 + l;
		if (next < d)
			__pipeline_memcpy_async(&t[(k + 1) % 2][l], from + next, 4);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		if (k * 128 + l < d)
			sum += t[k % 2][l];
		__syncthreads();
	}
	part[l] = sum;
	__syncthreads();
	for (int step = 64; step; step /= 2) {
		if (l < step)
			part[l] += part[l + step];
		__syncthreads();
	}
	if (l == 0)
		y[blockIdx.x] = part[0];
}
