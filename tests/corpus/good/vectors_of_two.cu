/*
# Vectors of two; the odd element goes to the first thread.
region = "scale"
launch.grid = ["n / bx / 2"]
guard = "offset == 0"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (2 * i + 1 < n) {
		float2 v = ((GLOBAL const float2 *)x)[i];
		((GLOBAL float2 *)y)[i] = MAKE_FLOAT2(a * v.x, a * v.y);
	}
	if (i == 0 && n % 2)
		y[n - 1] = a * x[n - 1];
}
