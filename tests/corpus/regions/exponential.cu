/*
# y = exp(x).
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -8 8"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 256, x = "special -1 1"}, {n = 100, x = "zeros"}]
block = [64]
grid = ["n / bx"]
*/
#define EXPONENTIAL GLOBAL float *y, GLOBAL const float *x, int n

KERNEL ORIGINAL(EXPONENTIAL)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = exp(x[i]);
}
