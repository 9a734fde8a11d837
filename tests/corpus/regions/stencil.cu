/*
# The mean of three neighbours; the ends have two.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 2}, {n = 64}, {n = 65}, {n = 300, x = "offset=8"},
          {n = 1000000, x = "alias=y"}]
skips = "alias"
block = [64]
grid = ["n / bx"]
*/
#define STENCIL GLOBAL float *y, GLOBAL const float *x, int n

KERNEL ORIGINAL(STENCIL)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	float sum = x[i], count = 1.0f;
	if (i > 0) {
		sum += x[i - 1];
		count += 1.0f;
	}
	if (i + 1 < n) {
		sum += x[i + 1];
		count += 1.0f;
	}
	y[i] = sum / count;
}
