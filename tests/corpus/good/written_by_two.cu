/*
# The same value from two threads: vectors moved back at the end, out of place.
region = "scale"
launch.grid = ["n / bx / 4"]
guard = "n >= 4 and not alias"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 4 * GLOBAL_ID(x);
	if (i >= n)
		return;
	if (i + 4 > n)
		i = n - 4;
	for (int k = 0; k < 4; k++)
		y[i + k] = a * x[i + k];
}
