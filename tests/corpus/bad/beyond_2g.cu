/*
# An int cannot count that far: what lies behind 2^31 is left out.
backend = "cuda"
arguments = ["y", "x", "i64 n"]
buffers = ["out i8 y[n]", "in i8 x[n] range -100 100"]
problems = [{n = 100000}]
checks = [{n = 2147483700}]
block = [256]
grid = ["n / bx / 64"]
verdict = "wrong-answer"
at = "n=2147483700"
*/
KERNEL ORIGINAL(i8 *y, const i8 *x, i64 n)
{
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		y[i] = x[i] + 1;
}

KERNEL CANDIDATE(i8 *y, const i8 *x, i64 n)
{
	unsigned step = (unsigned)GLOBAL_SIZE(x);
	for (unsigned i = (unsigned)GLOBAL_ID(x); (int)i >= 0 && i < n; i += step)
		y[i] = x[i] + 1;
}
