/* A kernel whose data a clause samples: two parameters are wrong on other data. */
#ifndef WAY
#define WAY 0
#endif
#pragma ktune problem(n = 1000) in(x[n] : uniform(0, 1)) out(y[n]) tune(WAY = 1, 2, 3) grid(ceil_div(n, 64)) local(64)
kernel void clamped(global float *y, global const float *x, int n)
{
	const int i = get_global_id(0);

	if (i >= n)
		return;
#if WAY == 2
	/* Right from 0 to 1. */
	y[i] = x[i] > 1.0f ? 1.0f : x[i];
#elif WAY == 3
	/* Right but for NaN. */
	y[i] = !(x[i] < 0.0f) && !(x[i] > 1.0f) ? x[i] == x[i] ? x[i] : 0.0f : x[i] < 0.0f ? 0.0f : 1.0f;
#else
	y[i] = x[i] < 0.0f ? 0.0f : x[i] > 1.0f ? 1.0f : x[i];
#endif
}
