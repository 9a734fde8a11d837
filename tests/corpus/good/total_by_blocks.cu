/*
# Sums of blocks, then atomics: another order than the original's, which has none.
region = "total"
*/
KERNEL CANDIDATE(TOTAL)
{
	__shared__ float all;
	int i = GLOBAL_ID(x);
	if (threadIdx.x == 0)
		all = 0.0f;
	__syncthreads();
	if (i < n)
		atomicAdd(&all, x[i]);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(y, all);
}
