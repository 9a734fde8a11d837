/*
# More exact than the original.
region = "rowsum"
checks = [{rows = 1, d = 64}, {rows = 5, d = 1}, {rows = 7, d = 67}]
*/
KERNEL CANDIDATE(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f, lost = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++) {
		float v = x[row * d + k] - lost, next = sum + v;
		lost = (next - sum) - v;
		sum = next;
	}
	y[row] = sum;
}
