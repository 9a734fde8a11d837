/*
# A tile with its halo in shared memory.
region = "stencil"
*/
KERNEL CANDIDATE(STENCIL)
{
	SHARED float t[66];
	i64 i = GLOBAL_ID(x);
	int l = LOCAL_ID(x);
	t[l + 1] = i < n ? x[i] : 0.0f;
	if (l == 0)
		t[0] = i > 0 ? x[i - 1] : 0.0f;
	if (l == 63)
		t[65] = i + 1 < n ? x[i + 1] : 0.0f;
	BARRIER();
	if (i >= n)
		return;
	y[i] = (t[l] + t[l + 1] + (i + 1 < n ? t[l + 2] : 0.0f)) / (float)(1 + (i > 0) + (i + 1 < n));
}
