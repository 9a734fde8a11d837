/*
# The sum is kept in bfloat16.
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
		sum = load_bf16(round_bf16(sum + x[row * d + k]));
	y[row] = sum;
}
