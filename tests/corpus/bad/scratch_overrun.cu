/*
# What is written past the end belongs to no output: scratch memory.
region = "partials"
verdict = "out-of-bounds"
at = "n=64000"
says = "t"
*/
KERNEL CANDIDATE(PARTIALS)
{
	int sum = 0;
	if (!FIRST)
		return;
	for (int i = 0; i < n; i++)
		sum += x[i];
	t[n / 64 + 1] = sum;
	y[0] = sum;
	ready[0] = 0;
}
