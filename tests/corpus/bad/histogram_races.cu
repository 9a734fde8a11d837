/*
# Counts without atomics.
region = "histogram"
backend = "cuda"
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL CANDIDATE(HISTOGRAM)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		((volatile u32 *)h)[x[i]] += 1;
}
