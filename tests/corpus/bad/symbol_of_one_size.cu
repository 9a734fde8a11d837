/*
# All of the symbol that the largest problem has is written, whatever n is.
region = "symbols"
backend = "cuda"
verdict = "out-of-bounds"
says = "past the end of kept"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	for (i64 i = GLOBAL_ID(x); i < 4096; i += GLOBAL_SIZE(x)) {
		float v = i < n ? x[i] * corpus_gain[i % 16] + corpus_shift[i] : 0.0f;
		if (i < n)
			y[i] = v;
		corpus::kept[i] = v;
	}
}
