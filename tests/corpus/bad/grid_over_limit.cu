/*
# The second dimension of a grid ends at 65535.
region = "scale"
backend = "cuda"
launch.grid = ["n / bx", 70000]
verdict = "over-limit"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i < n && blockIdx.y == 0)
		y[i] = a * x[i];
}
