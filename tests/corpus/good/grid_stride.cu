/*
# Three blocks stay until all is done.
region = "scale"
launch.grid = [3]
*/
KERNEL CANDIDATE(SCALE)
{
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		y[i] = a * x[i];
}
