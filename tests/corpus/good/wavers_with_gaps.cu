/*
# Last bits depend on memory that nobody has written, as the original's do, and every second element is left alone.
arguments = ["y", "x", "t", "i32 n"]
buffers = ["out f32 y[2 * n]", "in f32 x[n] uniform 1 2", "scratch i32 t[n]"]
problems = [{n = 1000}]
checks = [{n = 77}]
block = [64]
grid = ["n / bx"]
launch.block = [32]
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, GLOBAL int *t, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[2 * i] = 3.0f * x[i] * (1.0f + (float)(t[i] & 3) * 1.2e-7f);
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, GLOBAL int *t, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[2 * i] = 3.0f * x[i] * (1.0f + (float)(t[i] & 3) * 1.2e-7f);
}
