/*
# Spins where it is verified: never within its limit.
region = "scale"
limit_s = 1
verdict = "timed-out"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0)
		for (GLOBAL volatile float *p = y; p[n - 1] == p[n - 1] || p[n - 1] != p[n - 1];)
			;
}
