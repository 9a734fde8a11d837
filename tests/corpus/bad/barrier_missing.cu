/*
# Blocks of 256 are turned round in shared memory, and nobody waits for the others.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in f32 x[n] uniform -1 1"]
problems = [{n = 262144}]
block = [256]
grid = ["n / bx"]
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int n)
{
	i64 first = (i64)GROUP_ID(x) * LOCAL_SIZE(x);
	y[first + LOCAL_ID(x)] = x[first + LOCAL_SIZE(x) - 1 - LOCAL_ID(x)];
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int n)
{
	SHARED float t[256];
	i64 first = (i64)GROUP_ID(x) * LOCAL_SIZE(x);
	t[LOCAL_ID(x)] = x[first + LOCAL_ID(x)];
	y[first + LOCAL_ID(x)] = t[LOCAL_SIZE(x) - 1 - LOCAL_ID(x)];
}
