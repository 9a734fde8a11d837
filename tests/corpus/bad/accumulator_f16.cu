/*
# The sum is kept in half precision.
region = "rowsum"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++)
		sum = round_f16(sum + x[row * d + k]);
	y[row] = sum;
}
