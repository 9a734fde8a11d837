/*
# A counter in scratch memory that nobody sets to zero.
arguments = ["y", "x", "t", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform 1 2", "scratch u32 t[n]"]
problems = [{n = 1000}]
block = [64]
grid = ["n / bx"]
verdict = "wrong-answer"
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
	if (i < n && ATOMIC_ADD(&t[i], 1u) == 0)
		y[i] = 3.0f * x[i];
}
