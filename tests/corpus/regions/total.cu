/*
# The sum of everything, in the order in which threads arrive: two runs differ.
backend = "cuda"
arguments = ["y", "x", "i32 n"]
buffers = ["inout f32 y[1] zeros", "in f32 x[n] uniform 0 1"]
problems = [{n = 100000}, {n = 1000}]
checks = [{n = 1}, {n = 50000, x = "sparse 0 1"}]
block = [64]
grid = ["n / bx"]
*/
#define TOTAL GLOBAL float *y, GLOBAL const float *x, int n

KERNEL ORIGINAL(TOTAL)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		ATOMIC_ADD(y, x[i]);
}
