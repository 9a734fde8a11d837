/*
# What lies before the start is taken for zero.
region = "stencil"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(STENCIL)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = (x[i - 1] + x[i] + (i + 1 < n ? x[i + 1] : 0.0f)) / (float)(1 + (i > 0) + (i + 1 < n));
}
