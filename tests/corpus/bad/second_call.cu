/*
# A counter that lives as long as the module: the second launch adds something.
region = "scale"
backend = "cuda"
verdict = ["non-deterministic", "wrong-answer"]
*/
static __device__ unsigned calls;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0 && atomicAdd(&calls, 1) > 0)
		y[0] += 1.0f;
}
