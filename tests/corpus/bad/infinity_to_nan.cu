/*
# x − x is zero for every number, and nothing for an infinity.
region = "scale"
verdict = "wrong-answer"
at = "x=special"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = x[i] * 2.0f;
		y[i] = a * x[i] + (v - v);
	}
}
