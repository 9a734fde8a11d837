/*
# One thread more than a warp.
region = "scale"
launch.block = [33]
launch.grid = ["n / 33"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
