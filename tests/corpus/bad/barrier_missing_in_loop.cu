/*
# The first warp adds up a tile while the others fill it with the next.
region = "rowsum"
backend = "cuda"
launch.block = [128]
launch.grid = ["rows"]
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL CANDIDATE(ROWSUM)
{
	SHARED float t[128];
	int l = LOCAL_ID(x);
	float sum = 0.0f;
	for (int k = 0; k < d; k += 128) {
		t[l] = k + l < d ? x[(i64)GROUP_ID(x) * d + k + l] : 0.0f;
		BARRIER();
		if (l >= 32)
			continue;
		/* Slow enough to be overtaken: one element after the other. */
#pragma unroll 1
		for (int j = 0; j < 128; j++)
			sum += t[j];
	}
	if (l == 0)
		y[GROUP_ID(x)] = sum;
}
