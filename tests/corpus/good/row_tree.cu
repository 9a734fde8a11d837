/*
# A block a row, and a tree in shared memory.
region = "rowsum"
launch.grid = ["rows"]
*/
KERNEL CANDIDATE(ROWSUM)
{
	SHARED float t[64];
	int l = LOCAL_ID(x);
	float sum = 0.0f;
	for (int k = l; k < d; k += 64)
		sum += x[(i64)GROUP_ID(x) * d + k];
	t[l] = sum;
	BARRIER();
	for (int step = 32; step; step /= 2) {
		if (l < step)
			t[l] += t[l + step];
		BARRIER();
	}
	if (l == 0)
		y[GROUP_ID(x)] = t[0];
}
