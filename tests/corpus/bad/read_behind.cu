/*
# What lies behind the end is taken for zeros.
region = "rowsum"
checks = [{rows = 1, d = 64}, {rows = 1, d = 67}]
verdict = "wrong-answer"
at = "d=67"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	int end = row == rows - 1 ? (d + 31) / 32 * 32 : d;
	for (int k = 0; k < end; k++)
		sum += x[row * d + k];
	y[row] = sum;
}
