/*
# A single thread does everything, from the end.
region = "scale"
launch.block = [1]
launch.grid = [1]
*/
KERNEL CANDIDATE(SCALE)
{
	for (int i = n - 1; i >= 0; i--)
		y[i] = a * x[i];
}
