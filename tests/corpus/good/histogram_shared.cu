/*
# Counts in shared memory, then atomics on what is there.
region = "histogram"
launch.grid = [4]
*/
KERNEL CANDIDATE(HISTOGRAM)
{
	SHARED u32 t[64];
	t[LOCAL_ID(x)] = 0;
	BARRIER();
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x))
		ATOMIC_ADD(&t[x[i]], 1u);
	BARRIER();
	if (t[LOCAL_ID(x)])
		ATOMIC_ADD(&h[LOCAL_ID(x)], t[LOCAL_ID(x)]);
}
