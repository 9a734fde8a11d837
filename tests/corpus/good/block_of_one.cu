/*
# One thread a block.
region = "scale"
launch.block = [1]
launch.grid = ["n"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
