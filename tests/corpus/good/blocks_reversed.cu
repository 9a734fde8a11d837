/*
# The first block has the last elements.
region = "scale"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = (i64)(GROUPS(x) - 1 - GROUP_ID(x)) * LOCAL_SIZE(x) + LOCAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
