/*
# 64-bit integers go through a float.
region = "gather"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(GATHER)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = (i64)(float)x[index[i]];
}
