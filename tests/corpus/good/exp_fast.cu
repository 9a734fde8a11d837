/*
# The fast exponential, on arguments for which it is good enough.
region = "exponential"
backend = "cuda"
*/
KERNEL CANDIDATE(EXPONENTIAL)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = __expf(x[i]);
}
