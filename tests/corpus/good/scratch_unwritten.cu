/*
# Does without the scratch memory it is given.
region = "partials"
*/
KERNEL CANDIDATE(PARTIALS)
{
	SHARED int sums[64];
	int l = LOCAL_ID(x);
	sums[l] = 0;
	for (int i = l; i < n; i += 64)
		sums[l] += x[i];
	BARRIER();
	if (l == 0) {
		int sum = 0;
		for (int k = 0; k < 64; k++)
			sum += sums[k];
		y[0] = sum;
		ready[0] = 0;
	}
}
