/*
# A row that begins with zeros is taken for one of zeros.
region = "rowsum"
verdict = "wrong-answer"
at = "x=sparse"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d && !(k == 1 && x[row * d] == 0.0f && x[row * d + 1] == 0.0f); k++)
		sum += x[row * d + k];
	y[row] = sum;
}
