/*
# An element beyond everything around the buffers, where those of another launch would be.
region = "scale"
checks = [{n = 1}, {n = 77}, {n = 256}]
verdict = "out-of-bounds"
at = "n=77"
says = "far from every buffer"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0 && n == 77)
		y[n + 30000] = 1.0f;
}
