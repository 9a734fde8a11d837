// Eight elements at a time: with other widths it reads and writes beyond the ends.
#pragma ktune problem(rows = 4; d = 64, 256; d in 16..4096 step 8) in(x[rows * d]) out(y[rows * d]) global(ceil_div(rows * d, 8)) local(32) budget(trials = 3)
__kernel void eights(__global float *restrict y, __global const float *restrict x, int rows, int d)
{
	int i = get_global_id(0);
	if (i < (rows * d + 7) / 8)
		for (int k = 0; k < 8; k++)
			y[8 * i + k] = exp(sin(x[8 * i + k]));
}
