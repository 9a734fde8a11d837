/*
# Reads through a null pointer.
region = "scale"
verdict = ["out-of-bounds", "crashed"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	volatile GLOBAL const float *from = i < n ? (GLOBAL const float *)((u64)x * (u64)(n < 0)) : x;
	if (i < n)
		y[i] = a * from[i];
}
