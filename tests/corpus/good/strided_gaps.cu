/*
# Every third element, by one thread for all three that touches only the first.
region = "strided"
launch.grid = ["3 * n / bx"]
*/
KERNEL CANDIDATE(STRIDED)
{
	i64 i = GLOBAL_ID(x);
	if (i < 3 * (i64)n && i % 3 == 0)
		y[i] = x[i];
}
