/*
# Blocks go through shared memory and are turned round twice.
region = "scale"
launch.block = [128]
*/
KERNEL CANDIDATE(SCALE)
{
	SHARED float t[128];
	i64 first = (i64)GROUP_ID(x) * 128, i = first + 127 - LOCAL_ID(x);
	t[127 - LOCAL_ID(x)] = i < n ? x[i] : 0.0f;
	BARRIER();
	i = first + LOCAL_ID(x);
	if (i < n)
		y[i] = a * t[LOCAL_ID(x)];
}
