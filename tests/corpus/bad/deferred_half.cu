/*
# Half of the work is left to the next launch.
region = "scale"
backend = "cuda"
verdict = ["wrong-answer", "out-of-bounds", "crashed"]
*/
static __device__ float *volatile to;
static __device__ const float *volatile from;
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	float *late = to;
	if (i < n / 2)
		y[i] = a * x[i];
	else if (i < n && late)
		late[i] = a * from[i];
	__threadfence();
	if (i == n - 1) {
		to = y;
		from = x;
	}
}
