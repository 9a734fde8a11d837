/*
# Halves of what lies between two of them are rounded by way of another order of operations.
arguments = ["y", "x", "i32 n"]
buffers = ["out f16 y[n]", "in f16 x[n] large"]
problems = [{n = 1000}]
checks = [{n = 77, x = "denormal"}, {n = 300, x = "special -1 1"}, {n = 100, x = "constant 0.5"}]
block = [64]
grid = ["n / bx"]
*/
KERNEL ORIGINAL(GLOBAL f16 *y, GLOBAL const f16 *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = LOAD_F16(x, i) * 1.0009765625f;
		STORE_F16(v, y, i);
	}
}

KERNEL CANDIDATE(GLOBAL f16 *y, GLOBAL const f16 *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = LOAD_F16(x, i);
		STORE_F16(round_f16(v + v * 0.0009765625f), y, i);
	}
}
