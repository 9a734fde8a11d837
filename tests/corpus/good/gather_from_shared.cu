/*
# The table in shared memory, 64-bit elements.
region = "gather"
*/
KERNEL CANDIDATE(GATHER)
{
	SHARED i64 t[100];
	i64 i = GLOBAL_ID(x);
	for (int k = LOCAL_ID(x); k < m; k += LOCAL_SIZE(x))
		t[k] = x[k];
	BARRIER();
	if (i < n)
		y[i] = t[index[i]];
}
