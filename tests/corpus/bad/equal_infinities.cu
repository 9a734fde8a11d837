/*
# Equal numbers are taken for a difference of nothing, infinities among them.
arguments = ["y", "x", "z", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1", "in f32 z[n] uniform -1 1"]
problems = [{n = 30000}]
checks = [{n = 30000, x = "special -1 1", z = "special -1 1"}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
at = "special"
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, GLOBAL const float *z, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] - z[i];
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, GLOBAL const float *z, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] == z[i] ? 0.0f : x[i] - z[i];
}
