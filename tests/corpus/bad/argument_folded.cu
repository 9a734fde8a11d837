/*
# A scalar argument is taken for the value it was tuned with.
region = "scale"
checks = [{n = 64, a = -0.5}]
verdict = "wrong-answer"
at = "a=-0.5"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = 1.5f * x[i];
}
