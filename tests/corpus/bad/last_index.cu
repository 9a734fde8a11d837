/*
# The table's last element is never read.
region = "gather"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(GATHER)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[index[i] < m - 1 ? index[i] : m - 2];
}
