/*
# Reads far behind its shared memory.
region = "scale"
backend = "cuda"
verdict = ["out-of-bounds", "crashed"]
*/
KERNEL CANDIDATE(SCALE)
{
	__shared__ float t[64];
	int i = GLOBAL_ID(x);
	t[threadIdx.x] = i < n ? x[i] : 0.0f;
	__syncthreads();
	if (i < n)
		y[i] = a * t[threadIdx.x + n * 100];
}
