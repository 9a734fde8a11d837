/*
# Right on the buffers of the first launch alone.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = []
repetitions = 20
verdict = ["wrong-answer", "non-deterministic"]
*/
static __device__ float *first;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	unsigned long long mine = (unsigned long long)y;
	unsigned long long was = atomicCAS((unsigned long long *)&first, 0ull, mine);
	if (i < n)
		y[i] = was == 0 || was == mine ? a * x[i] : 0.0f;
}
