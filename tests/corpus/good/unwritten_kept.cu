/*
# What the original leaves alone is left alone, by fours.
region = "interior"
launch.grid = ["n / bx / 4"]
*/
KERNEL CANDIDATE(INTERIOR)
{
	i64 first = 4 * GLOBAL_ID(x);
	for (i64 i = first; i < first + 4; i++)
		if (i > 0 && i < n - 1)
			y[i] = x[i] + x[i];
}
