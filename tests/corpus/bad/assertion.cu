/*
# An assertion that does not hold on one row of problems.
region = "scale"
backend = "cuda"
verdict = "crashed"
at = "n=4099"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	assert(n % 4 == 0);
	if (i < n)
		y[i] = a * x[i];
}
