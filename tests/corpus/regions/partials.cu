/*
# The sum of each 64 elements, then of everything, through memory that is there for it.
arguments = ["y", "t", "ready", "x", "i32 n"]
buffers = ["out i32 y[1]", "scratch i32 t[n // 64 + 1]", "inout u32 ready[1] zeros", "in i32 x[n] range 0 1000"]
problems = [{n = 64000}, {n = 999}]
checks = [{n = 1}, {n = 64}, {n = 65}]
block = [64]
grid = [1]
*/
#define PARTIALS GLOBAL int *y, GLOBAL int *t, GLOBAL u32 *ready, GLOBAL const int *x, int n

KERNEL ORIGINAL(PARTIALS)
{
	int sum = 0;
	if (!FIRST)
		return;
	for (int i = 0; i < n; i++)
		sum += x[i];
	y[0] = sum;
	ready[0] = 0;
}
