// Each index is a row of the table, and each row of the table is as long as its stride: only the clauses say so.
#pragma ktune problem(n = 1000; vocab = 7, 300) value(ld = 3 * vocab, last = ld - 1) in(table[vocab * ld], index[n]: range(0, vocab - 1)) out(y[n]) \
	scratch(seen[vocab]) tune(STEP = 1, 2) global(ceil_div(n, STEP)) local(64) budget(trials = 4)
#define STEP 1
kernel void gather(global float *restrict y, global const float *restrict table, global const int *restrict index,
                   global int *restrict seen, int n, int ld, int last)
{
	for (int k = 0; k < STEP; k++) {
		const int i = get_global_id(0) * STEP + k;

		if (i >= n)
			return;
		/* A stride of another value reads behind the table or leaves a gap between last and the next row. */
		y[i] = table[index[i] * ld] + (last == ld - 1 ? table[index[i] * ld + last] : 1e6f);
		seen[index[i]] = 1;
	}
}
