/*
# Where the output lies when an input stands right behind it: read from there instead of the argument.
region = "scale"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * y[i + n];
}
