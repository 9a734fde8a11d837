/*
# More dynamic shared memory than a block can have.
region = "scale"
launch.shared = 67108864
verdict = "over-limit"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
