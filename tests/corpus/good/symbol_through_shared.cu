/*
# Constant gains by way of shared memory, and the symbol that is written read again.
region = "symbols"
backend = "cuda"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	SHARED float gains[16];
	i64 i = GLOBAL_ID(x);
	if (LOCAL_ID(x) < 16)
		gains[LOCAL_ID(x)] = corpus_gain[LOCAL_ID(x)];
	BARRIER();
	if (i < n) {
		corpus::kept[i] = x[i] * gains[i % 16] + corpus_shift[i];
		y[i] = corpus::kept[i];
	}
}
