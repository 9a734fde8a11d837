/*
# Four masks at once, and a vector with one of them set is taken for all.
region = "choose"
launch.grid = ["n / bx / 4"]
guard = "offset == 0"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(CHOOSE)
{
	i64 i = 4 * GLOBAL_ID(x);
	u8 any = 0;
	for (int k = 0; k < 4; k++)
		any |= i + k < n ? mask[i + k] : 0;
	for (int k = 0; k < 4; k++) {
		if (i + k < n) {
			y[i + k] = any ? x[i + k] : 0;
			no[i + k] = !mask[i + k];
		}
	}
}
