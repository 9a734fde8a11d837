// Four elements for each work-item, whatever n is: as written it is for multiples of four. As written each of them is
// stored many times, so that one that stores it once is faster on a machine under load too.
#ifndef TIMES
#define TIMES 8
#endif
#pragma ktune problem(n = 1024, 16384) in(x[n]) out(y[n]) tune(TIMES = 8, 1) grid(ceil_div(n, 4 * 16)) local(16)
kernel void fours(volatile global float *restrict y, global const float *restrict x, int n)
{
	const int first = get_global_id(0) * 4;

	if (first < n)
		for (int i = first; i < first + 4; i++)
			for (int k = 0; k < TIMES; k++)
				y[i] = sqrt(fabs(x[i]));
}
