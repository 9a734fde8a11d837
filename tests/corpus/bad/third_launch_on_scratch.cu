/*
# Scratch memory that is found as it was left is taken to say that the work is done.
arguments = ["y", "x", "t", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform 1 2", "scratch u32 t[1]"]
problems = [{n = 1000}]
block = [64]
grid = ["n / bx"]
verdict = ["non-deterministic", "wrong-answer"]
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, GLOBAL u32 *t, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = 3.0f * x[i];
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, GLOBAL u32 *t, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n && t[0] != 0x12345678u)
		y[i] = 3.0f * x[i];
	if (i == 0)
		t[0] = 0x12345678u;
}
