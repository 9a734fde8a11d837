/*
# One output is an argument, the other one a symbol, which is left as it was.
region = "symbols"
backend = "cuda"
verdict = "wrong-answer"
says = "kept"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] * corpus_gain[i % 16] + corpus_shift[i];
}
