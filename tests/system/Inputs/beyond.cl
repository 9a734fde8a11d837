/* As written it puts one element too many behind the end of its output. */
#ifndef SIZE
#define SIZE 64
#endif

#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(SIZE = 32, 64) grid(ceil_div(n, SIZE)) local(SIZE)
kernel void twice(global float *y, global const float *x, int n)
{
	int i = get_global_id(0);

	if (i <= n - 1)
		y[i] = 2 * x[i];
	if (i == 0)
		y[n] = 1;
}
