// Elementwise. EVEN spares the test of the end where whole groups make up the size, as those of all problems do.
#ifndef V
#define V 1
#endif
#ifndef LX
#define LX 1
#endif
#ifndef EVEN
#define EVEN 0
#endif
#pragma ktune problem(n = 65536, 262144, 1048576) in(x[n]) out(y[n]) tune(V = 1, 16, 64) tune(LX = 1, 16, 64) \
	tune(EVEN = 0, 1) restriction(EVEN == 0 || n % (V * LX) == 0) restriction(EVEN == 0 || V * LX > 1) \
	grid(ceil_div(n, V * LX)) local(LX)
kernel void activation(global float *restrict y, global const float *restrict x, int n)
{
	const int first = get_global_id(0) * V;

	for (int i = first; i < first + V; i++)
		if (EVEN || i < n)
			y[i] = x[i] / (1.0f + fabs(x[i]));
}
