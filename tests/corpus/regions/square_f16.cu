/*
# y = x² / 100000 in half precision, computed in single precision.
arguments = ["y", "x", "i32 n"]
buffers = ["out f16 y[n]", "in f16 x[n] uniform -100 100"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 77, x = "offset=2"}, {n = 300, x = "large"}]
block = [64]
grid = ["n / bx"]
*/
#define SQUARE_F16 GLOBAL f16 *y, GLOBAL const f16 *x, int n

KERNEL ORIGINAL(SQUARE_F16)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = LOAD_F16(x, i);
		STORE_F16(v * v * 1e-5f, y, i);
	}
}
