/*
# Double precision in four sums.
region = "sum_f64"
*/
KERNEL CANDIDATE(SUM_F64)
{
	i64 row = GLOBAL_ID(x);
	double sum[4] = {0.0, 0.0, 0.0, 0.0};
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++)
		sum[k % 4] += x[row * d + k];
	y[row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
