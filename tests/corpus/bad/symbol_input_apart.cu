/*
# The output symbol is cleared before the input is read, to which an argument may lead.
region = "symbols"
backend = "cuda"
verdict = "wrong-answer"
at = "alias=kept"
*/
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		*(volatile float *)&corpus::kept[i] = 0.0f;
		float v = *(const volatile float *)&x[i] * corpus_gain[i % 16] + corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
	}
}
