/*
# 1024 threads of a kernel that needs more than 64 registers each.
region = "scale"
backend = "cuda"
launch.block = [1024]
verdict = "over-limit"
*/
KERNEL CANDIDATE(SCALE)
{
	float kept[128];
	int i = GLOBAL_ID(x);
#pragma unroll
	for (int k = 0; k < 128; k++)
		kept[k] = x[(i + k) % n];
#pragma unroll
	for (int round = 0; round < 3; round++)
#pragma unroll
		for (int k = 0; k < 128; k++)
			kept[k] = fmaf(kept[(k + 67) % 128], 1.25f, kept[k]);
	float sum = 0.0f;
#pragma unroll
	for (int k = 0; k < 128; k++)
		sum = fmaxf(sum * kept[k], kept[127 - k]);
	if (i < n)
		y[i] = sum == -1234.5f ? sum : a * x[i];
}
