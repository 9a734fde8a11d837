/*
# Pairs: the last column of an odd row is left out.
region = "rowsum"
checks = [{rows = 1, d = 64}, {rows = 7, d = 67}]
verdict = "wrong-answer"
at = "d=67"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k + 1 < d; k += 2)
		sum += x[row * d + k] + x[row * d + k + 1];
	y[row] = sum;
}
