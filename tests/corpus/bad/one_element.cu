/*
# Starts with the second element.
region = "stencil"
verdict = "wrong-answer"
at = "^n=1$"
*/
KERNEL CANDIDATE(STENCIL)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	if (i == 0)
		y[0] = (x[0] + (n > 1 ? x[1] : x[0] + 1.0f)) / 2.0f;
	else if (i == n - 1)
		y[i] = (x[i - 1] + x[i]) / 2.0f;
	else
		y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3.0f;
}
