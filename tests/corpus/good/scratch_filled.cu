/*
# Uses all of its scratch memory and leaves something in it.
region = "partials"
*/
KERNEL CANDIDATE(PARTIALS)
{
	int l = LOCAL_ID(x);
	for (int k = l; k < n / 64 + 1; k += 64) {
		int sum = 0;
		for (int i = 64 * k; i < 64 * (k + 1) && i < n; i++)
			sum += x[i];
		t[k] = sum;
	}
	BARRIER();
	if (l == 0) {
		int sum = 0;
		for (int k = 0; k < n / 64 + 1; k++)
			sum += t[k];
		y[0] = sum;
		ready[0] = 0;
	}
}
