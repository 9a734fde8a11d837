/*
# The grid is rounded down: the last block is missing.
region = "scale"
launch.grid = ["max(n // bx, 1)"]
verdict = "wrong-answer"
at = "n=1000"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
