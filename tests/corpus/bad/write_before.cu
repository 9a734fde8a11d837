/*
# One element before the start is written.
region = "scale"
verdict = "out-of-bounds"
says = "before the start of y"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0)
		y[-1] = 2.0f;
}
