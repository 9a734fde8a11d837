/*
# Truth spread over all bits.
region = "choose"
launch.grid = ["n / bx / 2"]
*/
KERNEL CANDIDATE(CHOOSE)
{
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x)) {
		y[i] = x[i] & (u16)(0 - (mask[i] != 0));
		no[i] = mask[i] == 0;
	}
}
