/*
# Only what was never written is written: large or NaN.
region = "scale"
verdict = ["non-deterministic", "wrong-answer"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n && !(y[i] >= -2.0f && y[i] <= 2.0f))
		y[i] = a * x[i];
}
