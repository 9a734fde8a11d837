/*
# The largest of each row; a NaN in a row is its largest.
arguments = ["y", "x", "i32 rows", "i32 d"]
buffers = ["out f32 y[rows]", "in f32 x[rows * d] normal 0 1"]
problems = [{rows = 40, d = 256}, {rows = 33, d = 100}]
checks = [{rows = 1, d = 64}, {rows = 5, d = 1}, {rows = 64, d = 9, x = "special -1 1"}]
block = [64]
grid = ["rows / bx"]
*/
#define ROWMAX GLOBAL float *y, GLOBAL const float *x, int rows, int d

KERNEL ORIGINAL(ROWMAX)
{
	i64 row = GLOBAL_ID(x);
	if (row >= rows)
		return;
	float most = x[row * d];
	for (int k = 1; k < d; k++) {
		float v = x[row * d + k];
		most = v > most || v != v ? v : most;
	}
	y[row] = most;
}
