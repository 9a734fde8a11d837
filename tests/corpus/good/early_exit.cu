/*
# Eight times the blocks that are needed.
region = "scale"
launch.grid = ["8 * n / bx"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	y[i] = a * x[i];
}
