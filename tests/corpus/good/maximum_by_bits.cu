/*
# Atomics on integers that are ordered as the numbers are; NaN above all of them.
region = "rowmax"
launch.grid = ["rows"]
backend = "cuda"
*/
KERNEL CANDIDATE(ROWMAX)
{
	__shared__ int most;
	if (threadIdx.x == 0)
		most = (int)0x80000000;
	__syncthreads();
	for (int k = threadIdx.x; k < d; k += blockDim.x) {
		float v = x[(i64)blockIdx.x * d + k];
		int bits = v != v ? 0x7fc00000 : __float_as_int(v);
		atomicMax(&most, bits < 0 ? bits ^ 0x7fffffff : bits);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		y[blockIdx.x] = __int_as_float(most < 0 ? most ^ 0x7fffffff : most);
}
