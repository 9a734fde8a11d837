/*
# Every result is NaN, of another payload.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -2 -1"]
problems = [{n = 1000}]
checks = [{n = 77}]
block = [64]
grid = ["n / bx"]
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = sqrt(x[i]);
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = FLOAT_OF(0x7fc01234);
}
