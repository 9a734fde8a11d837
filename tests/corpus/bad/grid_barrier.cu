/*
# Blocks wait for each other, and there are more than fit on the device.
region = "scale"
backend = "cuda"
limit_s = 2
problems = [{n = 256}]
checks = []
launch.grid = [100000]
verdict = "timed-out"
*/
static __device__ unsigned arrived;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (threadIdx.x == 0) {
		atomicAdd(&arrived, 1);
		while (*(volatile unsigned *)&arrived < gridDim.x) {
		}
	}
	__syncthreads();
	if (i < n)
		y[i] = a * x[i];
}
