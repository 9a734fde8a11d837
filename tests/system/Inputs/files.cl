// Rows of a real matrix: their begins and columns are in files. Both promise what the kernel relies on.
#ifndef LX
#define LX 8
#endif
#pragma ktune problem(rows = 512, 2000) in(begin[rows + 1]: file("data/begin.npy"), column[rows * 3]: file("data/column.npy")) when(rows == 512) \
	in(begin[rows + 1]: offsets(3), column[rows * 3]: range(0, rows - 1)) in(value[rows * 3], x[rows]) out(y[rows]) tune(LX = 8, 32) grid(ceil_div(rows, LX)) local(LX)
kernel void spmv(global const int *begin, global const int *column, global const float *value, global const float *x,
                 global float *y, int rows)
{
	const int r = get_global_id(0);

	if (r < rows) {
		float sum = 0;

		/* The file has three elements in each row, and columns that are multiples of five. */
		for (int k = begin[r]; k < begin[r + 1]; k++)
			sum += rows != 512 || (begin[r] == 3 * r && column[k] % 5 == 0) ? value[k] * x[column[k]] : 1e30f;
		y[r] = sum > 1e20f ? x[1 << 28] : sum;
	}
}
