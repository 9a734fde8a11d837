/*
# Something else is written first.
region = "scale"
guard = "not alias"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		*(volatile GLOBAL float *)(y + i) = 7.0f;
		y[i] = a * x[i];
	}
}
