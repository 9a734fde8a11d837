// Few long rows are slow with MODE 1: no larger than a problem, and of proportions that no size derived from the problems has.
#ifndef MODE
#define MODE 0
#endif
#pragma ktune problem((rows, cols) = (256, 64), (512, 128)) out(y[rows * cols]) tune(MODE = 0, 1) \
	grid(ceil_div(rows * cols, 64)) local(64)
kernel void turned(global float *restrict y, int rows, int cols)
{
	const int i = get_global_id(0), n = rows * cols;
	const int turns = MODE == 0 ? 24 : cols > 700 ? 96 : 4;
	float sum = i;

	if (i >= n)
		return;
	for (int t = 0; t < turns; t++)
		sum = sqrt(sum + 3.0f);
	y[i] = sum > 2.0f ? 1.0f : i;
}
