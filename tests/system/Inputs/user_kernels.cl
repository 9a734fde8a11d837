/* Kernels that a new user brings, written plainly: a matrix times a vector, a 2-D blur, a matrix product. */

#pragma ktune problem(rows = 1024; columns = 1024) in(a[rows * columns], x[columns]) out(y[rows]) global(rows) local(64) \
	tolerance(rel = 1e-4)
kernel void matvec(global float *y, global const float *a, global const float *x, int rows, int columns)
{
	const int row = get_global_id(0);

	if (row >= rows)
		return;
	float sum = 0;
	for (int c = 0; c < columns; c++)
		sum += a[row * columns + c] * x[c];
	y[row] = sum;
}

#pragma ktune problem(width = 1024; height = 768) in(image[width * height]) out(blurred[width * height]) \
	global(width, height) local(16, 16)
kernel void blur(global float *blurred, global const float *image, int width, int height)
{
	const int column = get_global_id(0);
	const int row = get_global_id(1);

	if (column >= width || row >= height)
		return;
	float sum = 0;
	for (int dy = -2; dy <= 2; dy++)
		for (int dx = -2; dx <= 2; dx++) {
			const int r = clamp(row + dy, 0, height - 1);
			const int c = clamp(column + dx, 0, width - 1);
			sum += image[r * width + c];
		}
	blurred[row * width + column] = sum / 25.0f;
}

#pragma ktune problem(m = 256; n = 256; k = 256) in(a[m * k], b[k * n]) out(c[m * n]) \
	global(n, m) local(16, 16) tolerance(rel = 1e-4)
kernel void product(global float *c, global const float *a, global const float *b, int m, int n, int k)
{
	const int column = get_global_id(0);
	const int row = get_global_id(1);

	if (column >= n || row >= m)
		return;
	float sum = 0;
	for (int i = 0; i < k; i++)
		sum += a[row * k + i] * b[i * n + column];
	c[row * n + column] = sum;
}
