/*
# The counts replace what was there instead of being added to it.
region = "histogram"
buffers = ["inout u32 h[64] range 0 9", "in u8 x[n] range 0 63"]
launch.block = [64]
launch.grid = [1]
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(HISTOGRAM)
{
	u32 count = 0;
	for (int i = 0; i < n; i++)
		count += x[i] == LOCAL_ID(x);
	h[LOCAL_ID(x)] = count;
}
