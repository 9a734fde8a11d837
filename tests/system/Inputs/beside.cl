// Odd sizes beside the smaller problem are slow with MODE 1, and no size that is derived from the problems shows it.
#ifndef MODE
#define MODE 0
#endif
#pragma ktune problem((a, b, c) = (24, 24, 24), (64, 64, 24)) out(y[a * b * c]) tune(MODE = 0, 1) \
	grid(ceil_div(a * b * c, 64)) local(64)
kernel void beside(global float *restrict y, int a, int b, int c)
{
	const int i = get_global_id(0), n = a * b * c;
	const bool hurts = a % 2 != 0 && b % 2 != 0 && c % 2 != 0 && n > 12000 && n < 13824;
	const int turns = MODE == 0 ? 48 : hurts ? 192 : 8;
	float sum = i;

	if (i >= n)
		return;
	for (int t = 0; t < turns; t++)
		sum = sqrt(sum + 3.0f);
	y[i] = sum > 2.0f ? 1.0f : i;
}
