/*
# The last thread stores one element more than the clause counts of the symbol, which is longer.
region = "symbols"
backend = "cuda"
verdict = "out-of-bounds"
says = "past the end of kept"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = x[i] * corpus_gain[i % 16] + corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
		if (i == n - 1)
			corpus::kept[i + 1] = v;
	}
}
