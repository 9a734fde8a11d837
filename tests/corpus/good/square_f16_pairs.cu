/*
# Pairs of half precision, computed in single precision.
region = "square_f16"
backend = "cuda"
launch.grid = ["n / bx / 2"]
guard = "offset == 0"
*/
KERNEL CANDIDATE(SQUARE_F16)
{
	int i = 2 * GLOBAL_ID(x);
	if (i + 1 < n) {
		float2 v = __half22float2(*(const __half2 *)(x + i));
		*(__half2 *)(y + i) = __floats2half2_rn(v.x * v.x * 1e-5f, v.y * v.y * 1e-5f);
	} else if (i < n) {
		float v = __half2float(x[i]);
		y[i] = __float2half_rn(v * v * 1e-5f);
	}
}
