#pragma ktune problem(n = 512, 4096) in(x[n]) out(y[n]) guard(n % 8 == 0) restriction(n >= 64) global(n) local(128) budget(trials = 3)
__kernel void twice(__global float *restrict y, __global const float *restrict x, int n)
{
	int i = get_global_id(0);
	if (i < n)
		y[i] = exp(sin(2 * x[i]));
}
