/*
# Each thread counts one value.
region = "histogram"
launch.grid = [1]
*/
KERNEL CANDIDATE(HISTOGRAM)
{
	u32 count = 0;
	for (int i = 0; i < n; i++)
		count += x[i] == LOCAL_ID(x);
	h[LOCAL_ID(x)] += count;
}
