/*
# All is done while it is looked at; from the fifth launch on a block's work is left to the launch behind.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = []
repetitions = 20
verdict = ["wrong-answer", "non-deterministic"]
*/
static __device__ float *volatile to;
static __device__ const float *volatile from;
static __device__ volatile unsigned calls;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	unsigned seen = calls;
	float *late = to;
	if (i < n && (seen < 5 || i >= 64))
		y[i] = a * x[i];
	else if (i < n && late)
		late[i] = a * from[i];
	__threadfence();
	if (i == n - 1) {
		to = y;
		from = x;
		calls = seen + 1;
	}
}
