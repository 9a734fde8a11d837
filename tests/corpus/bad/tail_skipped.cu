/*
# Vectors of four, and nothing for the rest.
region = "scale"
launch.grid = ["n / bx / 4"]
verdict = "wrong-answer"
at = "n=4099"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 4 * GLOBAL_ID(x);
	if (i + 3 < n)
		for (int k = 0; k < 4; k++)
			y[i + k] = a * x[i + k];
}
