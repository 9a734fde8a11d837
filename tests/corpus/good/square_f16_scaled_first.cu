/*
# Made small before it is squared: another rounding, no overflow.
region = "square_f16"
*/
KERNEL CANDIDATE(SQUARE_F16)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		float v = LOAD_F16(x, i) * 3.16227766e-3f;
		STORE_F16(v * v, y, i);
	}
}
