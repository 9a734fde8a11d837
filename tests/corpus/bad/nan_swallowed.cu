/*
# fmax returns the number where the other is none.
region = "rowmax"
verdict = "wrong-answer"
at = "x=special"
*/
KERNEL CANDIDATE(ROWMAX)
{
	i64 row = GLOBAL_ID(x);
	if (row >= rows)
		return;
	float most = x[row * d];
	for (int k = 1; k < d; k++)
		most = fmax(most, x[row * d + k]);
	y[row] = most;
}
