// Sizes much larger than the problems are slow with MODE 1, and no size that is derived from the problems is so large.
#ifndef MODE
#define MODE 0
#endif
#pragma ktune problem(n = 4096, 16384) out(y[n]) tune(MODE = 0, 1) grid(ceil_div(n, 64)) local(64)
kernel void past(global float *restrict y, int n)
{
	const int i = get_global_id(0);
	const int turns = MODE == 0 ? 48 : n > 28000 ? 192 : 8;
	float sum = i;

	if (i >= n)
		return;
	for (int t = 0; t < turns; t++)
		sum = sqrt(sum + 3.0f);
	y[i] = sum > 2.0f ? 1.0f : i;
}
