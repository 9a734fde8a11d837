/*
# Every hundredth element is what was there before.
region = "scale"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = i % 100 == 99 ? y[i] : a * x[i];
}
