/*
# Eight columns at a time and a tail of none to seven.
region = "rowsum"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	int k = 0;
	if (row >= rows)
		return;
	GLOBAL const float *from = x + row * d;
	for (; k + 8 <= d; k += 8)
		sum += ((from[k] + from[k + 1]) + (from[k + 2] + from[k + 3])) +
		       ((from[k + 4] + from[k + 5]) + (from[k + 6] + from[k + 7]));
	for (; k < d; k++)
		sum += from[k];
	y[row] = sum;
}
