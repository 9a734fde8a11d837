/*
# A table in the module's memory that is made once and is the same ever after.
region = "scale"
backend = "cuda"
*/
static __device__ float factors[2];
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (threadIdx.x == 0)
		factors[1] = 1.0f;
	__syncthreads();
	if (i < n)
		y[i] = a * x[i] * factors[1] + factors[0];
}
