/*
# Reads all of its elements before it writes the first: right on the same memory.
region = "scale"
launch.grid = ["n / bx / 4"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 4 * GLOBAL_ID(x);
	float v[4];
	for (int k = 0; k < 4; k++)
		v[k] = i + k < n ? x[i + k] : 0.0f;
	for (int k = 0; k < 4; k++)
		if (i + k < n)
			y[i + k] = a * v[k];
}
