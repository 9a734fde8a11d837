/*
# The answer for the data it was tuned with: the sum of 0, 1, 2, …
region = "total_i64"
problems = [{n = 1000, x = "iota"}, {n = 333, x = "iota"}]
checks = [{n = 1000, x = "range 0 999"}]
verdict = "wrong-answer"
at = "x=range"
*/
KERNEL CANDIDATE(TOTAL_I64)
{
	if (FIRST)
		y[0] = (i64)n * (n - 1) / 2;
}
