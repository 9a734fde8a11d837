/*
# What the original leaves alone is set to zero.
region = "interior"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(INTERIOR)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = i > 0 && i < n - 1 ? x[i] * 2.0f : 0.0f;
}
