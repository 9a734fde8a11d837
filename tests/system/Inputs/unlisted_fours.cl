// Four elements for each work-item, whatever n is: as written it is for multiples of four.
#ifndef LX
#define LX 1
#endif
#pragma ktune problem(n = 1024, 65536) in(x[n]) out(y[n]) tune(LX = 1, 16, 64) grid(ceil_div(n, 4 * LX)) local(LX)
kernel void fours(global float *restrict y, global const float *restrict x, int n)
{
	const int first = get_global_id(0) * 4;

	if (first < n)
		for (int i = first; i < first + 4; i++)
			y[i] = sqrt(fabs(x[i])) + sin(x[i]);
}
