// What the elements promise: rows of a sparse matrix inside of its elements, targets that meet once, keys in order.
#ifndef LX
#define LX 8
#endif
#pragma ktune problem(rows = 512, 4096) in(begin[rows + 1]: offsets(8), column[rows * 8]: range(0, rows - 1), value[rows * 8], x[rows]) \
	out(y[rows]) tune(LX = 8, 32) grid(ceil_div(rows, LX)) local(LX)
kernel void spmv(global const int *begin, global const int *column, global const float *value, global const float *x,
                 global float *y, int rows)
{
	const int r = get_global_id(0);

	if (r < rows) {
		float sum = 0;

		for (int k = begin[r]; k < begin[r + 1]; k++)
			sum += value[k] * x[column[k]];
		y[r] = sum;
	}
}

#pragma ktune problem(n = 1000, 8192) in(target[n]: permutation, keep[n]: mask(0.5), x[n]) out(y[n]) tune(LX = 8, 32) \
	grid(ceil_div(n, LX)) local(LX)
kernel void scatter(global const int *target, global const uchar *keep, global const float *x, global float *y, int n)
{
	const int i = get_global_id(0);

	if (i < n)
		y[target[i]] = keep[i] ? x[i] : -x[i];
}

/* Two lists of the same lengths, out of a few: a difference between them, or another length, and the sum is off. */
#pragma ktune problem(n = 1000, 8192) in(length[n]: choice(0, 3, 7, n - 1), same[n]: like(length), x[n]) out(y[n]) \
	tune(LX = 8, 32) grid(ceil_div(n, LX)) local(LX)
kernel void first_of_each(global const int *length, global const int *same, global const float *x, global float *y, int n)
{
	const int i = get_global_id(0);

	if (i < n)
		y[i] = length[i] == same[i] && (length[i] == 0 || length[i] == 3 || length[i] == 7 || length[i] == n - 1)
		           ? x[length[i]] : x[n];
}

#pragma ktune problem(n = 1000, 8192) in(keys[n]: sorted(0, 1000), wanted[n]: unique(0, 8 * n)) out(y[n]) tune(LX = 8, 32) \
	grid(ceil_div(n, LX)) local(LX)
kernel void lower_bound(global const int *keys, global const int *wanted, global int *y, int n)
{
	const int i = get_global_id(0);

	if (i < n) {
		int low = 0, high = n;

		while (low < high) {
			const int middle = (low + high) / 2;

			if (keys[middle] < wanted[i])
				low = middle + 1;
			else
				high = middle;
		}
		/* Out of order the search would end behind a smaller key. */
		y[i] = low == n || keys[low] >= wanted[i] ? low : -1;
	}
}
