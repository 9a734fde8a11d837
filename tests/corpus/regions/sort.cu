/*
# Each element goes to its rank; equal ones keep their order.
arguments = ["y", "x", "i32 n"]
buffers = ["out i32 y[n]", "in i32 x[n] range 0 1000000000"]
problems = [{n = 256}, {n = 100}]
checks = [{n = 1}, {n = 200, x = "range 0 5"}, {n = 64, x = "constant 7"}]
block = [64]
grid = ["n / bx"]
*/
#define SORT GLOBAL int *y, GLOBAL const int *x, int n

KERNEL ORIGINAL(SORT)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	int rank = 0;
	for (int k = 0; k < n; k++)
		rank += x[k] < x[i] || (x[k] == x[i] && k < i);
	y[rank] = x[i];
}
