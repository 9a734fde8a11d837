/*
# The gains of the first launch are taken for those of all others.
region = "symbols"
backend = "cuda"
problems = [{n = 1000}]
verdict = ["wrong-answer", "non-deterministic"]
*/
static __device__ float first[16];
static __device__ volatile int known;
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	const bool is_known = known != 0;
	if (i < n) {
		float v = x[i] * (is_known ? first[i % 16] : corpus_gain[i % 16]) + corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
	}
	if (i < 16)
		first[i] = is_known ? first[i] : corpus_gain[i];
	__threadfence();
	if (i == n - 1)
		known = 1;
}
