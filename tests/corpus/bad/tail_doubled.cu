/*
# The rest is added by the vectors' threads and once more by the first thread.
region = "add"
launch.grid = ["n / bx / 4"]
verdict = "wrong-answer"
at = "n=4099"
*/
KERNEL CANDIDATE(ADD)
{
	i64 i = 4 * GLOBAL_ID(x);
	for (int k = 0; k < 4; k++)
		if (i + k < n)
			r[i + k] += x[i + k];
	BARRIER();
	if (LOCAL_ID(x) == 0 && GROUP_ID(x) == GROUPS(x) - 1)
		for (int k = n - n % 4; k < n; k++)
			r[k] += x[k];
}
