/*
# r += x, in place.
arguments = ["r", "x", "i32 n"]
buffers = ["inout f32 r[n] normal 0 1", "in f32 x[n] uniform -1 1"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 77}, {n = 256, x = "special -1 1"}, {n = 512, r = "offset=4", x = "offset=4"}]
block = [64]
grid = ["n / bx"]
*/
#define ADD GLOBAL float *r, GLOBAL const float *x, int n

KERNEL ORIGINAL(ADD)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		r[i] += x[i];
}
