/*
# The result of a size is kept in the module, and given again for other data.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = [{n = 1000, x = "seed=7"}]
verdict = "wrong-answer"
says = "with other data at the same addresses"
*/
static __device__ float kept[1000];
static __device__ volatile int size;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	bool known = size == n;
	if (i < n)
		kept[i] = y[i] = known ? kept[i] : a * x[i];
	__threadfence();
	if (i == n - 1)
		size = n;
}
