/*
# The address is rounded down to that of a vector.
region = "scale"
backend = "cuda"
verdict = "wrong-answer"
at = "x=offset=4"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	GLOBAL const float *from = (GLOBAL const float *)((u64)x & ~(u64)15);
	if (i < n)
		y[i] = a * from[i];
}
