/*
# How often each of 64 values occurs, added to what is there.
arguments = ["h", "x", "i32 n"]
buffers = ["inout u32 h[64] zeros", "in u8 x[n] range 0 63"]
problems = [{n = 5000}, {n = 257}]
checks = [{n = 1}, {n = 640, x = "constant 63"}]
block = [64]
grid = ["n / bx"]
*/
#define HISTOGRAM GLOBAL u32 *h, GLOBAL const u8 *x, int n

KERNEL ORIGINAL(HISTOGRAM)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		ATOMIC_ADD(&h[x[i]], 1u);
}
