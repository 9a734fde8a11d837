/*
# Doubles are added up in single precision.
region = "sum_f64"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(SUM_F64)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++)
		sum += (float)x[row * d + k];
	y[row] = sum;
}
