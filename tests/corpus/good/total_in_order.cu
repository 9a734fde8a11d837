/*
# One order where the original has none.
region = "total"
launch.block = [256]
launch.grid = [1]
*/
KERNEL CANDIDATE(TOTAL)
{
	__shared__ float t[256];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < n; i += 256)
		sum += x[i];
	t[threadIdx.x] = sum;
	__syncthreads();
	for (int step = 128; step; step /= 2) {
		if (threadIdx.x < step)
			t[threadIdx.x] += t[threadIdx.x + step];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[0] += t[0];
}
