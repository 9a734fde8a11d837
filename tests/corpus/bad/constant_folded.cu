/*
# All elements are taken for the first one, as they were in tuning.
region = "total_i64"
problems = [{n = 1000, x = "constant 3"}]
checks = [{n = 1000, x = "range -5 5"}]
verdict = "wrong-answer"
at = "x=range"
*/
KERNEL CANDIDATE(TOTAL_I64)
{
	if (FIRST)
		y[0] = (i64)n * x[0];
}
