/*
# Bubbles in shared memory: another way to the same order, one block.
region = "sort"
launch.block = [128]
launch.grid = [1]
*/
KERNEL CANDIDATE(SORT)
{
	SHARED int t[257];
	int l = LOCAL_ID(x);
	for (int i = l; i < n; i += 128)
		t[i] = x[i];
	for (int round = 0; round < n; round++) {
		int i = 2 * l + round % 2;
		BARRIER();
		if (i + 1 < n && t[i] > t[i + 1]) {
			int v = t[i];
			t[i] = t[i + 1];
			t[i + 1] = v;
		}
	}
	BARRIER();
	for (int i = l; i < n; i += 128)
		y[i] = t[i];
}
