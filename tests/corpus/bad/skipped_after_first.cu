/*
# The first launch works, the others do not.
region = "scale"
backend = "cuda"
verdict = ["non-deterministic", "wrong-answer"]
*/
static __device__ volatile unsigned calls;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	unsigned seen = calls;
	if (i < n && seen == 0)
		y[i] = a * x[i];
	__threadfence();
	if (i == n - 1)
		calls = 1;
}
