/*
# row * d in 32 bits.
backend = "cuda"
arguments = ["y", "x", "i32 rows", "i32 d"]
buffers = ["out i32 y[rows]", "in i8 x[rows * d] range -100 100"]
problems = [{rows = 1000, d = 256}]
checks = [{rows = 70000, d = 32768}]
block = [64]
grid = ["rows"]
verdict = ["wrong-answer", "out-of-bounds"]
at = "rows=70000"
*/
KERNEL ORIGINAL(int *y, const i8 *x, int rows, int d)
{
	int sum = 0;
	for (int k = threadIdx.x; k < d; k += 64)
		sum += x[(i64)blockIdx.x * d + k];
	sum = __reduce_add_sync(0xffffffff, sum);
	__shared__ int part[2];
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0] + part[1];
}

KERNEL CANDIDATE(int *y, const i8 *x, int rows, int d)
{
	int sum = 0;
	for (int k = threadIdx.x; k < d; k += 64)
		sum += x[((u32)blockIdx.x * (u32)d & 0x7fffffffu) + k];
	sum = __reduce_add_sync(0xffffffff, sum);
	__shared__ int part[2];
	if (threadIdx.x % 32 == 0)
		part[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0] + part[1];
}
