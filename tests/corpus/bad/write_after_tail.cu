/*
# The last vector is written whole, also where n is no multiple of four.
region = "scale"
launch.grid = ["n / bx / 4"]
guard = "offset == 0"
verdict = "out-of-bounds"
at = "n=4099"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 4 * GLOBAL_ID(x);
	if (i < n)
		for (int k = 0; k < 4; k++)
			y[i + k] = i + k < n ? a * x[i + k] : 0.0f;
}
