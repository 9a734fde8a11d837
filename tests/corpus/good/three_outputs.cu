/*
# The outputs one after the other, in three loops.
region = "split"
launch.grid = [2]
*/
KERNEL CANDIDATE(SPLIT)
{
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		b[i] = (u16)((x[i] + 100.0f) * 300.0f);
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		s[i] = x[i] > 0.0f ? 1 : x[i] < 0.0f ? -1 : 0;
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		m[i] = fabs(x[i]);
}
