/*
# Nothing to do: buffers of no elements, and a tail of none.
arguments = ["y", "x", "i32 n", "f32 a"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
values = {a = 1.5}
problems = [{n = 64}]
checks = [{n = 0}, {n = 128}]
block = [64]
grid = ["n / bx + 1"]
launch.grid = ["n / bx / 4 + 1"]
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int n, float a)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int n, float a)
{
	i64 i = 4 * GLOBAL_ID(x);
	for (int k = 0; k < 4; k++)
		if (i + k < n)
			y[i + k] = a * x[i + k];
}
