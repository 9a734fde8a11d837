/*
# A shift rounds down, a division towards zero.
arguments = ["y", "x", "i32 n"]
buffers = ["out i32 y[n]", "in i32 x[n] range 0 1000"]
problems = [{n = 1000}]
checks = [{n = 100, x = "range -1000 1000"}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
at = "x=range"
*/
KERNEL ORIGINAL(GLOBAL int *y, GLOBAL const int *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] / 2;
}

KERNEL CANDIDATE(GLOBAL int *y, GLOBAL const int *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] >> 1;
}
