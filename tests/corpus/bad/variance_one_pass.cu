/*
# Mean of the squares minus square of the mean: right around zero, nothing left far from it.
arguments = ["y", "x", "i32 rows", "i32 d"]
buffers = ["out f32 y[rows]", "in f32 x[rows * d] uniform -1 1"]
problems = [{rows = 40, d = 256}]
checks = [{rows = 3, d = 17}, {rows = 40, d = 256, x = "uniform 1000 1001"}]
block = [64]
grid = ["rows / bx"]
verdict = "wrong-answer"
at = "x=uniform"
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int rows, int d)
{
	i64 row = GLOBAL_ID(x);
	float mean = 0.0f, sum = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++)
		mean += x[row * d + k];
	mean /= (float)d;
	for (int k = 0; k < d; k++)
		sum += (x[row * d + k] - mean) * (x[row * d + k] - mean);
	y[row] = sum / (float)d;
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int rows, int d)
{
	i64 row = GLOBAL_ID(x);
	float sum = 0.0f, squares = 0.0f;
	if (row >= rows)
		return;
	for (int k = 0; k < d; k++) {
		sum += x[row * d + k];
		squares += x[row * d + k] * x[row * d + k];
	}
	y[row] = squares / (float)d - sum / (float)d * (sum / (float)d);
}
