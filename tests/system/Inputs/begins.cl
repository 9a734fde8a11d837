/* What it writes begins with what it finds, which the clause does not say. */
#ifndef SIZE
#define SIZE 64
#endif

#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(SIZE = 32, 64) grid(ceil_div(n, SIZE)) local(SIZE)
kernel void more(global int *y, global const int *x, int n)
{
	int i = get_global_id(0);

	if (i < n)
		y[i] += 2 * x[i];
}
