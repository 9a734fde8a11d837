/*
# Rows of a pitch wider than they are: one element of a row in the middle is its neighbour.
arguments = ["y", "x", "i32 rows", "i32 d", "i32 pitch"]
buffers = ["out f32 y[rows * pitch]", "in f32 x[rows * pitch] uniform -1 1"]
problems = [{rows = 17, d = 100, pitch = 128}]
block = [64]
grid = ["rows"]
verdict = "wrong-answer"
*/
KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const float *x, int rows, int d, int pitch)
{
	int row = GROUP_ID(x);
	for (int k = LOCAL_ID(x); k < d; k += LOCAL_SIZE(x))
		y[row * pitch + k] = 2.0f * x[row * pitch + k];
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const float *x, int rows, int d, int pitch)
{
	int row = GROUP_ID(x);
	for (int k = LOCAL_ID(x); k < d; k += LOCAL_SIZE(x))
		y[row * pitch + k] = 2.0f * x[row * pitch + k - (row == rows / 2 && k == 64)];
}
