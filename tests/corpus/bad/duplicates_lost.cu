/*
# Equal elements have one rank, and all but one are lost.
region = "sort"
verdict = "wrong-answer"
at = "x=range"
*/
KERNEL CANDIDATE(SORT)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	int rank = 0;
	for (int k = 0; k < n; k++)
		rank += x[k] < x[i];
	y[rank] = x[i];
}
