/*
# Private counters of a byte: one value is frequent enough to overflow them.
region = "histogram"
problems = [{n = 5000}, {n = 257}]
launch.block = [64]
launch.grid = [1]
verdict = "wrong-answer"
at = "x=constant"
*/
KERNEL CANDIDATE(HISTOGRAM)
{
	u8 count = 0;
	for (int i = 0; i < n; i++)
		count += x[i] == LOCAL_ID(x);
	h[LOCAL_ID(x)] += count;
}
