/*
# Infinities become the largest number.
region = "scale"
verdict = "wrong-answer"
at = "x=special"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = a * x[i];
		y[i] = v > 3.4e38f ? 3.4e38f : v < -3.4e38f ? -3.4e38f : v;
	}
}
