/*
# A grid and a block of three dimensions.
region = "scale"
launch.block = [4, 4, 2]
launch.grid = [3, 2, "n / 192"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 group = ((i64)GROUP_ID(z) * GROUPS(y) + GROUP_ID(y)) * GROUPS(x) + GROUP_ID(x);
	i64 i = group * 32 + (LOCAL_ID(z) * 4 + LOCAL_ID(y)) * 4 + LOCAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
