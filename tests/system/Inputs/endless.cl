// Written for whole groups of eight: on other sizes it runs for longer than anyone waits.
#ifndef LX
#define LX 8
#endif
#pragma ktune problem(n = 4096, 65536) in(x[n]) out(y[n]) tune(LX = 8, 64) grid(ceil_div(n, LX)) local(LX)
kernel void eights(global float *restrict y, global const float *restrict x, int n)
{
	const int i = get_global_id(0);
	float value = i < n ? x[i] : 0;

	for (long turn = n % 8 == 0 ? 0 : 400000000000; turn > 0; turn--)
		value = sqrt(value + (float)turn);
	if (i < n)
		y[i] = value;
}
