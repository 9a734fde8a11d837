/*
# The sum of everything, exact: one thread.
arguments = ["y", "x", "i32 n"]
buffers = ["out i64 y[1]", "in i32 x[n] range -1000 1000"]
problems = [{n = 1000}, {n = 333}]
checks = [{n = 1}, {n = 1000, x = "range 1000000000 2000000000"}]
block = [1]
grid = [1]
*/
#define TOTAL_I64 GLOBAL i64 *y, GLOBAL const int *x, int n

KERNEL ORIGINAL(TOTAL_I64)
{
	i64 sum = 0;
	if (!FIRST)
		return;
	for (int i = 0; i < n; i++)
		sum += x[i];
	y[0] = sum;
}
