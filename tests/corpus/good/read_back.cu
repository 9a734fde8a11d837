/*
# Goes on with what it has written.
region = "scale"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		y[i] = 0.5f * x[i];
		y[i] *= 2.0f * a;
	}
}
