/*
# The first block adds up what the others may not have written.
region = "partials"
launch.grid = ["n / 64"]
verdict = ["wrong-answer", "non-deterministic"]
at = "n=64000"
*/
KERNEL CANDIDATE(PARTIALS)
{
	int sum = 0;
	if (LOCAL_ID(x))
		return;
	for (i64 i = 64 * (i64)GROUP_ID(x); i < 64 * (i64)(GROUP_ID(x) + 1) && i < n; i++)
		sum += x[i];
	t[GROUP_ID(x)] = sum;
	if (GROUP_ID(x))
		return;
	sum = 0;
	for (int k = 0; k < GROUPS(x); k++)
		sum += t[k];
	y[0] = sum;
	ready[0] = 0;
}
