/*
# A thread slides over sixteen elements and keeps the window in registers.
region = "stencil"
launch.grid = ["n / bx / 16"]
*/
KERNEL CANDIDATE(STENCIL)
{
	i64 i = 16 * GLOBAL_ID(x), end = i + 16 < n ? i + 16 : n;
	if (i >= n)
		return;
	float left = i > 0 ? x[i - 1] : 0.0f, middle = x[i];
	for (; i < end; i++) {
		float right = i + 1 < n ? x[i + 1] : 0.0f;
		y[i] = (left + middle + right) / (float)(1 + (i > 0) + (i + 1 < n));
		left = middle;
		middle = right;
	}
}
