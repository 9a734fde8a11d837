/*
# Denormals count as zero, and what follows makes them large.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1e-30 1e-30"]
problems = [{n = 1000}]
checks = [{n = 512, x = "denormal"}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
at = "x=denormal"
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] * 1e20f * 1e20f;
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = ((BITS_OF(x[i]) & 0x7f800000) ? x[i] : 0.0f) * 1e20f * 1e20f;
}
