/*
# Bytes beyond 2^31, sixteen at a time.
backend = "cuda"
arguments = ["y", "x", "i64 n"]
buffers = ["out i8 y[n]", "in i8 x[n] range -100 100"]
problems = [{n = 100000}]
checks = [{n = 1}, {n = 2147483700}]
block = [256]
grid = ["n / bx / 64"]
launch.grid = ["n / bx / 16"]
*/
KERNEL ORIGINAL(i8 *y, const i8 *x, i64 n)
{
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		y[i] = x[i] + 1;
}

KERNEL CANDIDATE(i8 *y, const i8 *x, i64 n)
{
	i64 i = 16 * GLOBAL_ID(x);
	if (i + 15 < n) {
		union {
			uint4 words;
			i8 bytes[16];
		} v;
		v.words = *(const uint4 *)(x + i);
		for (int k = 0; k < 16; k++)
			v.bytes[k]++;
		*(uint4 *)(y + i) = v.words;
	} else {
		for (; i < n; i++)
			y[i] = x[i] + 1;
	}
}
