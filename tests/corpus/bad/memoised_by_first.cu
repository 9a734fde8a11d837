/*
# As above, and what it is kept for is told by the first element alone.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = [{n = 1000, x = "sparse -1 1 seed=7"}, {n = 1000, x = "sparse -1 1 seed=9"},
          {n = 1000, x = "sparse -1 1 seed=11"}]
verdict = "wrong-answer"
at = "x=sparse"
*/
static __device__ float kept[1000];
static __device__ volatile float first = 1e30f;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	bool known = first == x[0];
	if (i < n)
		kept[i] = y[i] = known ? kept[i] : a * x[i];
	__threadfence();
	if (i == n - 1)
		first = x[0];
}
