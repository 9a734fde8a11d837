/*
# Two blocks take one row after the other.
region = "rowsum"
launch.block = [32]
launch.grid = [2]
*/
KERNEL CANDIDATE(ROWSUM)
{
	SHARED float t[32];
	for (int row = GROUP_ID(x); row < rows; row += GROUPS(x)) {
		float sum = 0.0f;
		for (int k = LOCAL_ID(x); k < d; k += 32)
			sum += x[(i64)row * d + k];
		t[LOCAL_ID(x)] = sum;
		BARRIER();
		if (LOCAL_ID(x) == 0) {
			float all = 0.0f;
			for (int k = 0; k < 32; k++)
				all += t[k];
			y[row] = all;
		}
		BARRIER();
	}
}
