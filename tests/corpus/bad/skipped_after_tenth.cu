/*
# Ten launches for those who look, none for those who measure.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = []
repetitions = 20
verdict = ["non-deterministic", "wrong-answer"]
*/
static __device__ volatile unsigned calls;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	unsigned seen = calls;
	if (i < n && seen < 10)
		y[i] = a * x[i];
	__threadfence();
	if (i == n - 1)
		calls = seen + 1;
}
