/*
# y[column][row] = x[row][column].
arguments = ["y", "x", "i32 rows", "i32 columns"]
buffers = ["out f32 y[rows * columns]", "in f32 x[rows * columns] uniform -1 1"]
problems = [{rows = 64, columns = 96}, {rows = 33, columns = 65}]
checks = [{rows = 1, columns = 7}, {rows = 17, columns = 16}, {rows = 16, columns = 1}]
block = [16, 4]
grid = ["columns / bx", "rows / by"]
*/
#define TRANSPOSE GLOBAL float *y, GLOBAL const float *x, int rows, int columns

KERNEL ORIGINAL(TRANSPOSE)
{
	i64 column = GLOBAL_ID(x), row = GLOBAL_ID(y);
	if (row < rows && column < columns)
		y[column * rows + row] = x[row * columns + column];
}
