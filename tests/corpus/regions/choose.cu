/*
# y[i] = mask[i] ? x[i] : 0, and the mask inverted.
arguments = ["y", "no", "x", "mask", "i32 n"]
buffers = ["out u16 y[n]", "out bool no[n]", "in u16 x[n] range 0 65535", "in bool mask[n]"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 77, mask = "offset=5"}, {n = 100, mask = "zeros"}]
block = [64]
grid = ["n / bx"]
*/
#define CHOOSE GLOBAL u16 *y, GLOBAL u8 *no, GLOBAL const u16 *x, GLOBAL const u8 *mask, int n

KERNEL ORIGINAL(CHOOSE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		y[i] = mask[i] ? x[i] : 0;
		no[i] = !mask[i];
	}
}
