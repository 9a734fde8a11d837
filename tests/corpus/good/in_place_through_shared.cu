/*
# In place, and a block reads everything before it writes.
region = "add"
*/
KERNEL CANDIDATE(ADD)
{
	SHARED float t[64];
	i64 i = GLOBAL_ID(x), other = (i64)GROUP_ID(x) * 64 + 63 - LOCAL_ID(x);
	t[LOCAL_ID(x)] = i < n ? r[i] + x[i] : 0.0f;
	BARRIER();
	if (other < n)
		r[other] = t[63 - LOCAL_ID(x)];
}
