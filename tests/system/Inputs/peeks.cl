/* The quick one looks one element beyond the end of x; nothing comes of it, so that only a tool can see it. */
#ifndef QUICK
#define QUICK 0
#endif

#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(QUICK = 0, 1) grid(ceil_div(n, 64)) local(64)
kernel void twice(global float *y, global const float *x, int n)
{
	int i = get_global_id(0);
	volatile global const float *slow = x + i;

	if (i >= n)
		return;
	y[i] = 2 * x[i];
	if (QUICK && x[i + 1] == 1.25f && y[i] == 1e30f)
		y[i] = 0;
	for (int k = 0; k < 100 && !QUICK; k++)
		if (*slow == 1e30f)
			y[i] = 0;
}
