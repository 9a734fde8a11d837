/*
# The square is rounded to half precision before it is made small.
region = "square_f16"
verdict = "wrong-answer"
at = "x=large"
*/
KERNEL CANDIDATE(SQUARE_F16)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = LOAD_F16(x, i);
		STORE_F16(round_f16(v * v) * 1e-5f, y, i);
	}
}
