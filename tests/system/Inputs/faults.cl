/* Every fifth variant is bad, each in a way of its own, unless FAULTS is 0. */
#ifndef CASE
#define CASE 0
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#define KIND (FAULTS && CASE % 5 == 4 ? CASE / 5 + 1 : 0)

#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(CASE = 0..39 step +1) grid(ceil_div(n, 64)) local(64)
kernel void scale(global float *restrict y, global const float *restrict x, int n)
{
	const int i = get_global_id(0), kind = KIND;
	volatile int turning = 1;

	if (i >= n || (kind == 1 && i == n - 1))
		return;
	y[i] = kind == 2 ? 3 * x[i] : 2 * x[i];
	if (kind == 3 && i == 0)
		y[n] = 7;
	if (kind == 4 && i == 0)
		y[-1] = 7;
	if (kind == 5 && i == 0)
		((global float *)x)[5] = 1;
	if (kind == 6)
		*(global float *)((size_t)y + ((size_t)1 << 44)) = 1;
	while (kind == 7 && turning)
		turning = 1;
#if FAULTS && CASE == 39
	this_is_no_program
#endif
}
