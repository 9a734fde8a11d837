/*
# A gain that the clause does not count, of the elements that the symbol has.
region = "symbols"
backend = "cuda"
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = x[i] * corpus_gain[i % 16] + corpus_shift[i] + 0.0f * corpus_gain[16];
		y[i] = v;
		corpus::kept[i] = v;
	}
}
