/*
# y = a x, one element a thread.
arguments = ["y", "x", "i32 n", "f32 a"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
values = {a = 1.5}
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 77}, {n = 256, x = "special -1 1"}, {n = 300, x = "large"}, {n = 512, x = "offset=4"},
          {n = 512, y = "offset=4"}, {n = 320, x = "alias=y"}]
block = [64]
grid = ["n / bx"]
*/
#define SCALE GLOBAL float *y, GLOBAL const float *x, int n, float a

KERNEL ORIGINAL(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
