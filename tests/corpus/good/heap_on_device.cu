/*
# Memory from the device's heap, given back at the end.
region = "scale"
backend = "cuda"
launch.block = [32]
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	float *kept = (float *)malloc(16);
	float v = i < n ? a * x[i] : 0.0f;
	if (kept) {
		*kept = v;
		v = *(volatile float *)kept;
		free(kept);
	}
	if (i < n)
		y[i] = v;
}
