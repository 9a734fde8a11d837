/*
# No block at all where fewer elements than a tile are left.
region = "scale"
launch.block = [256]
launch.grid = ["n // bx"]
verdict = "over-limit"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
