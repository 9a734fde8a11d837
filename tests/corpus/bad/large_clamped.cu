/*
# Elements beyond ±8000 are clamped: right on all but large data.
region = "rowsum"
verdict = "wrong-answer"
at = "large"
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++) {
		float v = x[row * d + k];
		sum += v > 8000.0f && v < 1e30f ? 8000.0f : v < -8000.0f && v > -1e30f ? -8000.0f : v;
	}
	y[row] = sum;
}
