/*
# The output is written before the symbol is read, which is right as long as no argument leads into the symbol.
region = "symbols"
backend = "cuda"
verdict = "wrong-answer"
at = "alias=shift"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		*(volatile float *)&y[i] = x[i] * corpus_gain[i % 16];
		float v = *(volatile float *)&y[i] + *(volatile float *)&corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
	}
}
