/* A space of a few configurations, of which the times come from a runner that pretends (pretend.py). */
#ifndef BLOCK
#define BLOCK 64
#endif

#pragma ktune problem(n = 4096, 65536, 1048576) in(x[n], w[n]) out(y[n]) tune(BLOCK = 32, 64, 128, 256, 512) \
              grid(ceil_div(n, BLOCK)) local(BLOCK)
kernel void scaled(global float *y, global const float *x, global const float *w, int n)
{
	const int i = get_global_id(0);

	if (i < n)
		y[i] = w[i] * x[i];
}
