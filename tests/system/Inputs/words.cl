// Arguments whose names are words of the expression language.
#pragma ktune problem(n = 1000; arg(device) = 7) in(min[arg(device) * n]: range(0, arg(max)), arg(aligned)[n]) out(y[n]) \
	value(max = arg(device) * 3, arg(disjoint) = 4) guard(min(arg(max), arg(disjoint)) < 9 && aligned(min, 4) && aligned(arg(aligned), 4)) \
	tune(STEP = 1, 2) global(ceil_div(n, STEP)) local(64) budget(trials = 4)
#define STEP 1
kernel void words(global float *restrict y, global const int *restrict min, global const float *restrict aligned, int n, int max,
                  int device, int disjoint)
{
	for (int k = 0; k < STEP; k++) {
		const int i = get_global_id(0) * STEP + k;

		if (i < n)
			y[max == 21 && disjoint == 4 && min[device * n - 1 - i] <= 21 ? i : n] = aligned[i] + min[i];
	}
}
