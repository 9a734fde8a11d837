/*
# The maximum starts with zero: wrong where all are below.
region = "rowmax"
verdict = "wrong-answer"
at = "d=1"
*/
KERNEL CANDIDATE(ROWMAX)
{
	i64 row = GLOBAL_ID(x);
	if (row >= rows)
		return;
	float most = 0.0f;
	for (int k = 0; k < d; k++) {
		float v = x[row * d + k];
		most = v > most || v != v ? v : most;
	}
	y[row] = most;
}
