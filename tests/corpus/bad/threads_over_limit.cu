/*
# More threads than a block can have.
region = "scale"
launch.block = [8192]
verdict = "over-limit"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
