/*
# The last vector is moved back so that it ends with the data: fine for a copy, not in place.
region = "add"
problems = [{n = 1000}, {n = 1003}]
launch.grid = ["n / bx / 4"]
verdict = "wrong-answer"
at = "n=1003"
*/
KERNEL CANDIDATE(ADD)
{
	i64 i = 4 * GLOBAL_ID(x);
	if (i + 4 <= n)
		for (int k = 0; k < 4; k++)
			r[i + k] += x[i + k];
	BARRIER();
	if (i < n && i + 4 > n)
		for (i64 k = n < 4 ? 0 : n - 4; k < n; k++)
			r[k] += x[k];
}
