/*
# The first and the last element of y are left as they are.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 2}, {n = 65}]
block = [64]
grid = ["n / bx"]
*/
#define INTERIOR GLOBAL float *y, GLOBAL const float *x, int n

KERNEL ORIGINAL(INTERIOR)
{
	i64 i = GLOBAL_ID(x);
	if (i > 0 && i < n - 1)
		y[i] = x[i] * 2.0f;
}
