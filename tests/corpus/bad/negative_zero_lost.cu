/*
# −0 counts as positive where its sign decides.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
problems = [{n = 1000}]
checks = [{n = 512, x = "special -1 1"}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
at = "x=special"
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] != x[i] ? 0.0f : BITS_OF(x[i]) < 0 ? -1.0f : 1.0f;
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] != x[i] ? 0.0f : x[i] < 0.0f ? -1.0f : 1.0f;
}
