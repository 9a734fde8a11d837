/* A space of some hundred configurations, of which every second is fast and wrong (pretend.py). */
#ifndef BLOCK
#define BLOCK 64
#endif
#ifndef VEC
#define VEC 1
#endif
#ifndef TURNS
#define TURNS 1
#endif
#ifndef FAST
#define FAST 0
#endif

#pragma ktune problem(n = 4096, 65536, 1048576) in(x[n]) out(y[n]) tune(BLOCK = 32, 64, 128, 256, 512) tune(VEC = 1, 2, 4) \
              tune(TURNS = 1, 2, 3, 4, 5, 6, 7) tune(FAST = 0, 1) grid(ceil_div(n, BLOCK * VEC)) local(BLOCK)
kernel void twice(global float *y, global const float *x, int n)
{
	const int first = get_global_id(0) * VEC;

	for (int i = first; i < first + VEC && i < n; i++)
		y[i] = 2 * x[i];
}
