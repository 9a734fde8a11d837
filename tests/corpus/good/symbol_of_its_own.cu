/*
# It has a variable in the module that is none of the region's symbols: what is in there is not checked.
region = "symbols"
backend = "cuda"
*/
static __device__ unsigned launches;
KERNEL CANDIDATE(SYMBOLS)
{
	i64 i = GLOBAL_ID(x);
	if (i == 0)
		atomicAdd(&launches, 1u);
	if (i < n) {
		float v = x[i] * corpus_gain[i % 16] + corpus_shift[i];
		y[i] = v;
		corpus::kept[i] = v;
	}
}
