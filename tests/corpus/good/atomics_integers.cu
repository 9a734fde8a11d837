/*
# Integers added up in whatever order: the same sum.
arguments = ["y", "x", "i32 n"]
buffers = ["inout i32 y[1] zeros", "in i32 x[n] range -1000000000 1000000000"]
problems = [{n = 20000}, {n = 1}]
checks = [{n = 0}, {n = 333}]
block = [64]
grid = [1]
launch.grid = ["n / bx + 1"]
*/
KERNEL ORIGINAL(GLOBAL int *y, GLOBAL const int *x, int n)
{
	u32 sum = 0;
	for (int i = 0; LOCAL_ID(x) == 0 && i < n; i++)
		sum += (u32)x[i];
	if (LOCAL_ID(x) == 0)
		y[0] = (int)((u32)y[0] + sum);
}

KERNEL CANDIDATE(GLOBAL int *y, GLOBAL const int *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		ATOMIC_ADD(y, x[i]);
}
