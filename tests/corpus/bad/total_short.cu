/*
# Where the original wavers by rounding, a candidate may not leave out a thousandth.
region = "total"
verdict = "wrong-answer"
at = "n=100000"
*/
KERNEL CANDIDATE(TOTAL)
{
	int i = GLOBAL_ID(x);
	if (i < n - n / 1000)
		atomicAdd(y, x[i]);
}
