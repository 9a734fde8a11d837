/*
# The sum of each row in double precision, one row a thread.
needs = ["fp64"]
arguments = ["y", "x", "i32 rows", "i32 d"]
buffers = ["out f64 y[rows]", "in f64 x[rows * d] uniform 0 1"]
problems = [{rows = 40, d = 256}]
checks = [{rows = 1, d = 64}, {rows = 5, d = 1}, {rows = 7, d = 67, x = "offset=8"}]
block = [64]
grid = ["rows / bx"]
*/
#define SUM_F64 GLOBAL double *y, GLOBAL const double *x, int rows, int d

KERNEL ORIGINAL(SUM_F64)
{
	i64 row = GLOBAL_ID(x);
	double sum = 0.0;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++)
		sum += x[row * d + k];
	y[row] = sum;
}
