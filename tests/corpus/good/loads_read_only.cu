/*
# Loads through the read-only cache, stores that stream.
region = "scale"
backend = "cuda"
guard = "not alias"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		__stcs(y + i, a * __ldg(x + i));
}
