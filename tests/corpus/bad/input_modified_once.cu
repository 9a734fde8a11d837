/*
# One launch of many changes its input, and it is not the last.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = []
repetitions = 20
verdict = "wrong-answer"
*/
static __device__ unsigned calls;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 5 && atomicAdd(&calls, 1) == 6)
		((float *)x)[5] = 0.0f;
}
