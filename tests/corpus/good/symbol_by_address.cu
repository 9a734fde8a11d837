/*
# Every symbol by its address, with a grid that is too small.
region = "symbols"
backend = "cuda"
launch.grid = [3]
*/
KERNEL CANDIDATE(SYMBOLS)
{
	float *const kept = corpus::kept;
	const float *const shift = corpus_shift, *const gains = corpus_gain;
	for (i64 i = GLOBAL_ID(x); i < n; i += GLOBAL_SIZE(x)) {
		float v = x[i] * gains[i & 15] + shift[i];
		kept[i] = v;
		y[i] = v;
	}
}
