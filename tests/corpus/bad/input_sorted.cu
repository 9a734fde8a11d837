/*
# The input is turned round in place and read from there: the same elements in another order.
region = "total_i64"
verdict = "wrong-answer"
says = "input x was changed"
*/
KERNEL CANDIDATE(TOTAL_I64)
{
	GLOBAL int *w = (GLOBAL int *)x;
	i64 sum = 0;
	if (!FIRST)
		return;
	for (int i = 0; i < n / 2; i++) {
		int v = w[i];
		w[i] = w[n - 1 - i];
		w[n - 1 - i] = v;
	}
	for (int i = 0; i < n; i++)
		sum += w[i];
	y[0] = sum;
}
