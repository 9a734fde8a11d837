/*
# The output is cleared before the input is read: the same memory in place.
region = "scale"
verdict = "wrong-answer"
at = "alias"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		y[i] = 0.0f;
		FENCE();
		y[i] += a * x[i];
	}
}
