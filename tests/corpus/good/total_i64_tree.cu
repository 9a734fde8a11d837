/*
# Integers add up to the same in any order.
region = "total_i64"
launch.block = [64]
launch.grid = [1]
*/
KERNEL CANDIDATE(TOTAL_I64)
{
	SHARED i64 t[64];
	int l = LOCAL_ID(x);
	t[l] = 0;
	for (int i = l; i < n; i += 64)
		t[l] += x[i];
	BARRIER();
	for (int step = 32; step; step /= 2) {
		if (l < step)
			t[l] += t[l + step];
		BARRIER();
	}
	if (l == 0)
		y[0] = t[0];
}
