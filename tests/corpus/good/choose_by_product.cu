/*
# Truth is one or nothing, so a product chooses.
region = "choose"
*/
KERNEL CANDIDATE(CHOOSE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		y[i] = (u16)(x[i] * mask[i]);
		no[i] = mask[i] ^ 1;
	}
}
