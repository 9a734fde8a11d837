// One value of V does not compile; the others stand in the same program and must not suffer.
#ifndef V
#define V 1
#endif
#ifndef LX
#define LX 16
#endif
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) tune(V = 1, 2, 3, 4) tune(LX = 1, 16, 64) \
	grid(ceil_div(n, V * LX)) local(LX)
kernel void twice(global float *restrict y, global const float *restrict x, int n)
{
	const int first = get_global_id(0) * V;
#if V == 3
	this_is_not_declared = first;
#endif
	for (int i = first; i < first + V; i++)
		if (i < n)
			y[i] = 2 * x[i];
}
