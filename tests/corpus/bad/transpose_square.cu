/*
# Rows and columns are mixed up where the matrix is not square.
region = "transpose"
problems = [{rows = 64, columns = 64}]
checks = [{rows = 17, columns = 16}]
verdict = ["wrong-answer", "out-of-bounds"]
at = "rows=17"
*/
KERNEL CANDIDATE(TRANSPOSE)
{
	i64 column = GLOBAL_ID(x), row = GLOBAL_ID(y);
	if (row < rows && column < columns)
		y[column * columns + row] = x[row * columns + column];
}
