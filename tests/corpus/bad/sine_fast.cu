/*
# The fast sine has no range reduction worth the name.
backend = "cuda"
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
problems = [{n = 4099}]
checks = [{n = 4099, x = "uniform -10000 10000"}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
at = "x=uniform"
*/
KERNEL ORIGINAL(float *y, const float *x, int n)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = sinf(x[i]);
}

KERNEL CANDIDATE(float *y, const float *x, int n)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = __sinf(x[i]);
}
