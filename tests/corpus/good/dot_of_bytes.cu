/*
# Four products of bytes in one instruction.
backend = "cuda"
arguments = ["y", "x", "w", "i32 rows", "i32 d"]
buffers = ["out i32 y[rows]", "in i8 x[rows * d] range -128 127", "in i8 w[d] range -128 127"]
problems = [{rows = 100, d = 64}]
checks = [{rows = 1, d = 4}, {rows = 3, d = 67}]
guard = "d % 4 == 0"
block = [64]
grid = ["rows / bx"]
*/
KERNEL ORIGINAL(int *y, const i8 *x, const i8 *w, int rows, int d)
{
	int row = GLOBAL_ID(x), sum = 0;
	for (int k = 0; row < rows && k < d; k++)
		sum += x[row * d + k] * w[k];
	if (row < rows)
		y[row] = sum;
}

KERNEL CANDIDATE(int *y, const i8 *x, const i8 *w, int rows, int d)
{
	int row = GLOBAL_ID(x), sum = 0;
	for (int k = 0; row < rows && k < d; k += 4)
		sum = __dp4a(*(const int *)(x + row * d + k), *(const int *)(w + k), sum);
	if (row < rows)
		y[row] = sum;
}
