/*
# Writes where nothing is.
region = "scale"
verdict = ["out-of-bounds", "crashed"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i + ((i64)1 << 40)] = a * x[i];
}
