/*
# y[i] = x[index[i]].
arguments = ["y", "x", "index", "i32 n", "i32 m"]
buffers = ["out i64 y[n]", "in i64 x[m] range -1000000000000 1000000000000", "in i32 index[n] range 0 99"]
values = {m = 100}
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 100, index = "iota"}, {n = 50, m = 1, index = "constant 0"}]
block = [64]
grid = ["n / bx"]
*/
#define GATHER GLOBAL i64 *y, GLOBAL const i64 *x, GLOBAL const int *index, int n, int m

KERNEL ORIGINAL(GATHER)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[index[i]];
}
