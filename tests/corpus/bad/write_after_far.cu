/*
# An element far behind the end is written, beyond what lies near it.
region = "scale"
verdict = "out-of-bounds"
at = "n=77"
says = "end of y"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0 && n == 77)
		y[n + 6000] = 1.0f;
}
