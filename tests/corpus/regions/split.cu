/*
# Three outputs of three types: magnitude, sign, and a bucket.
arguments = ["m", "s", "b", "x", "i32 n"]
buffers = ["out f32 m[n]", "out i8 s[n]", "out u16 b[n]", "in f32 x[n] uniform -100 100"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 77, s = "offset=3", b = "offset=2"}, {n = 128, x = "constant 0"}]
block = [64]
grid = ["n / bx"]
*/
#define SPLIT GLOBAL float *m, GLOBAL i8 *s, GLOBAL u16 *b, GLOBAL const float *x, int n

KERNEL ORIGINAL(SPLIT)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	m[i] = x[i] < 0.0f ? -x[i] : x[i];
	s[i] = (i8)((x[i] > 0.0f) - (x[i] < 0.0f));
	b[i] = (u16)((x[i] + 100.0f) * 300.0f);
}
