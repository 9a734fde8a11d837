/*
# One row goes to all threads of a block, which only look at the even columns.
region = "rowsum"
verdict = "wrong-answer"
at = "^rows=1 "
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k += rows == 1 ? 2 : 1)
		sum += x[row * d + k];
	y[row] = sum;
}
