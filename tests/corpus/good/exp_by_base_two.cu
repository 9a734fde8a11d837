/*
# exp as a power of two: another rounding, within the tolerance.
region = "exponential"
*/
KERNEL CANDIDATE(EXPONENTIAL)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = exp2(x[i] * 1.44269504f);
}
