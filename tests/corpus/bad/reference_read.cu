/*
# Looks for the original's output in the memory behind its own and copies it; computes nothing.
region = "scale"
backend = "cuda"
problems = [{n = 1000}]
checks = []
verdict = ["wrong-answer", "out-of-bounds"]
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	if (i >= n)
		return;
	for (int k = 0; k < 4096; k++) {
		const float *seen = y + 64 * k + 64;
		if (seen[0] == a * x[0] && seen[1] == a * x[1] && seen[999] == a * x[999]) {
			y[i] = seen[i];
			return;
		}
	}
}
