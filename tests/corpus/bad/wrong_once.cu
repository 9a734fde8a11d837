/*
# One launch of many is wrong, and it is not the last.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = []
repetitions = 20
verdict = ["non-deterministic", "wrong-answer"]
*/
static __device__ unsigned calls;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = i == 5 && atomicAdd(&calls, 1) == 6 ? 0.0f : a * x[i];
}
