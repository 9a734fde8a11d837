/*
# Sums of bytes end at the end of the type where they should wrap.
arguments = ["y", "x", "z", "i32 n"]
buffers = ["out i8 y[n]", "in i8 x[n] range -128 127", "in i8 z[n] range -128 127"]
problems = [{n = 1000}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
*/
KERNEL ORIGINAL(GLOBAL i8 *y, GLOBAL const i8 *x, GLOBAL const i8 *z, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = (i8)(x[i] + z[i]);
}

KERNEL CANDIDATE(GLOBAL i8 *y, GLOBAL const i8 *x, GLOBAL const i8 *z, int n)
{
	i64 i = GLOBAL_ID(x);
	int sum = i < n ? x[i] + z[i] : 0;
	if (i < n)
		y[i] = (i8)(sum > 127 ? 127 : sum < -128 ? -128 : sum);
}
