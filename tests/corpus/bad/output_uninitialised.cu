/*
# Adds to an output as if it began with zeros.
region = "scale"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] += a * x[i];
}
