/*
# The sum in the order in which threads arrive, where the original has one order.
backend = "cuda"
arguments = ["y", "x", "i32 n"]
buffers = ["inout f32 y[1] zeros", "in f32 x[n] uniform 0 1"]
problems = [{n = 100000}]
block = [256]
grid = [1]
launch.grid = ["n / bx"]
verdict = "non-deterministic"
*/
KERNEL ORIGINAL(float *y, const float *x, int n)
{
	__shared__ float part[256];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < n; i += 256)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int step = 128; step; step /= 2) {
		if (threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[0] = part[0];
}

KERNEL CANDIDATE(float *y, const float *x, int n)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		atomicAdd(y, x[i]);
}
