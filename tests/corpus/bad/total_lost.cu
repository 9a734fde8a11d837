/*
# The same reading by two threads, two writings: additions are lost.
region = "total"
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL CANDIDATE(TOTAL)
{
	int i = GLOBAL_ID(x);
	if (i < n)
		*(volatile float *)y += x[i];
}
