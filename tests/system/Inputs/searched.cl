/* Kernels as a user writes them first, for searches that their budget ends: a convolution, sums of columns, a gather. */
#pragma ktune problem(n = 40000) in(x[n + 8], w[9]) out(y[n]) global(n) local(64)
kernel void convolve(global float *y, global const float *x, global const float *w, int n)
{
	const int i = get_global_id(0);

	if (i < n) {
		float sum = 0;

		for (int k = 0; k < 9; k++)
			sum += x[i + k] * w[k];
		y[i] = sum;
	}
}

#pragma ktune problem(rows = 200; columns = 256) in(a[rows * columns]) out(sum[columns]) global(columns) local(64)
kernel void column_sums(global float *sum, global const float *a, int rows, int columns)
{
	const int c = get_global_id(0);

	if (c < columns) {
		float s = 0;

		for (int r = 0; r < rows; r++)
			s += a[r * columns + c];
		sum[c] = s;
	}
}

#pragma ktune problem(n = 40000) in(x[30000], at[n] : range(0, 29999)) out(y[n]) global(n) local(64)
kernel void gather(global float *y, global const float *x, global const int *at, int n)
{
	const int i = get_global_id(0);

	if (i < n)
		y[i] = x[at[i]];
}
