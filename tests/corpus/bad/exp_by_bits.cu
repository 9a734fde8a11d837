/*
# exp from the exponent's bits: right to a few per cent.
region = "exponential"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(EXPONENTIAL)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = FLOAT_OF((int)(12102203.0f * x[i]) + 1064866805);
}
