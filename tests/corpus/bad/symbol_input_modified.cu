/*
# The symbol may be read, and is put to other use when it has been.
region = "symbols"
backend = "cuda"
verdict = "wrong-answer"
says = "input shift was changed"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = x[i] * corpus_gain[i % 16] + corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
		corpus_shift[i] = v;
	}
}
