/*
# Another order of summation: from the end, in four sums.
region = "rowsum"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
	if (row >= rows)
		return;
	for (int k = d - 1; k >= 0; k--)
		sum[k % 4] += x[row * d + k];
	y[row] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
}
