/*
# The sum of each row, one row a thread.
arguments = ["y", "x", "i32 rows", "i32 d"]
buffers = ["out f32 y[rows]", "in f32 x[rows * d] uniform 0 1"]
problems = [{rows = 40, d = 256}, {rows = 8, d = 4096}]
checks = [{rows = 1, d = 64}, {rows = 5, d = 1}, {rows = 7, d = 67}, {rows = 4, d = 96, x = "offset=4"},
          {rows = 6, d = 64, x = "special 0 1"}, {rows = 6, d = 128, x = "sparse 0 1"},
          {rows = 4000, d = 500, x = "large"}]
block = [64]
grid = ["rows / bx"]
*/
#define ROWSUM GLOBAL float *y, GLOBAL const float *x, int rows, int d

KERNEL ORIGINAL(ROWSUM)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++)
		sum += x[row * d + k];
	y[row] = sum;
}
