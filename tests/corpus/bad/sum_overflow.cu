/*
# The sum of 32-bit numbers in 32 bits.
region = "total_i64"
verdict = "wrong-answer"
at = "x=range"
*/
KERNEL CANDIDATE(TOTAL_I64)
{
	u32 sum = 0;
	if (!FIRST)
		return;
	for (int i = 0; i < n; i++)
		sum += (u32)x[i];
	y[0] = (int)sum;
}
