/*
# The index of the neighbour is not looked at before it is written: the left one of element 0.
region = "stencil"
verdict = "out-of-bounds"
launch.block = [1]
launch.grid = [1]
*/
KERNEL CANDIDATE(STENCIL)
{
	for (int i = n - 1; i >= 0; i--) {
		float sum = x[i], count = 1.0f;
		if (i > 0) {
			sum += x[i - 1];
			count += 1.0f;
		}
		if (i + 1 < n) {
			sum += x[i + 1];
			count += 1.0f;
		}
		y[i] = sum / count;
		y[i - 1] = 0.0f;
	}
}
