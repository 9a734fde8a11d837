/*
# fmax with a NaN looked for beside it.
region = "rowmax"
*/
KERNEL CANDIDATE(ROWMAX)
{
	i64 row = GLOBAL_ID(x);
	if (row >= rows)
		return;
	float most = x[row * d];
	int none = most != most;
	for (int k = 1; k < d; k++) {
		most = fmax(most, x[row * d + k]);
		none |= x[row * d + k] != x[row * d + k];
	}
	y[row] = none ? FLOAT_OF(0x7fc00000) : most;
}
