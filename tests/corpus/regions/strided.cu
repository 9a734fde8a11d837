/*
# Every third element is copied; what lies between belongs to others.
arguments = ["y", "x", "i32 n"]
buffers = ["out i32 y[3 * n]", "in i32 x[3 * n] range -1000 1000"]
problems = [{n = 500}, {n = 1025}]
checks = [{n = 1}, {n = 77, y = "offset=4"}]
block = [64]
grid = ["n / bx"]
*/
#define STRIDED GLOBAL int *y, GLOBAL const int *x, int n

KERNEL ORIGINAL(STRIDED)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[3 * i] = x[3 * i];
}
