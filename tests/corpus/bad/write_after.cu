/*
# One element behind the end is written.
region = "scale"
verdict = "out-of-bounds"
says = "end of y"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i <= n)
		y[i] = i < n ? a * x[i] : 1.0f;
}
