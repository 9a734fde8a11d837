/*
# The block with the last number adds up, as if the others were done by then.
region = "partials"
backend = "cuda"
problems = [{n = 640001}, {n = 999}]
launch.grid = ["n / 64"]
verdict = ["wrong-answer", "non-deterministic"]
at = "n=640001"
*/
KERNEL CANDIDATE(PARTIALS)
{
	__shared__ int sum;
	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	int i = 64 * blockIdx.x + threadIdx.x;
	if (i < n)
		atomicAdd(&sum, x[i]);
	__syncthreads();
	if (threadIdx.x)
		return;
	volatile int *seen = t;
	seen[blockIdx.x] = sum;
	if (blockIdx.x != gridDim.x - 1)
		return;
	int all = 0;
	for (int k = gridDim.x - 1; k >= 0; k--)
		all += seen[k];
	y[0] = all;
	ready[0] = 0;
}
