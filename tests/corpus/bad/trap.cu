/*
# Ends with a trap.
region = "scale"
backend = "cuda"
verdict = "crashed"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0)
		__trap();
}
