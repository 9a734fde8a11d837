/*
# In place, by fours.
region = "add"
launch.grid = ["n / bx / 4"]
*/
KERNEL CANDIDATE(ADD)
{
	i64 i = 4 * GLOBAL_ID(x);
	for (int k = 0; k < 4; k++)
		if (i + k < n)
			r[i + k] += x[i + k];
}
