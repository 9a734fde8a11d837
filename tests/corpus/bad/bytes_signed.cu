/*
# Bytes above 127 are taken for negative ones.
arguments = ["y", "x", "i32 n"]
buffers = ["out i32 y[n]", "in u8 x[n] range 0 100"]
problems = [{n = 1000}]
checks = [{n = 100, x = "range 0 255"}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
at = "x=range"
*/
KERNEL ORIGINAL(GLOBAL int *y, GLOBAL const u8 *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = 3 * x[i];
}

KERNEL CANDIDATE(GLOBAL int *y, GLOBAL const u8 *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = 3 * ((GLOBAL const i8 *)x)[i];
}
