/* An original that other data than the clause names send outside of its table, and mostly of all memory. */
#ifndef WAY
#define WAY 0
#endif
#pragma ktune problem(n = 1000) in(x[n] : uniform(0, 1), table[65536]) out(y[n]) tune(WAY = 1, 2) grid(ceil_div(n, 64)) local(64)
kernel void looked_up(global float *y, global const float *x, global const float *table, int n)
{
	const int i = get_global_id(0);

	if (i < n)
		y[i] = table[(long)(x[i] * 16.0f) * 4096];
}
