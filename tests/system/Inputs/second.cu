// One thread a row: what the threads of a warp read lies far apart. The rules share one of the two loops, the IR both.
#pragma ktune problem((rows, width) = (1024, 256), (8192, 1000)) in(x[rows * width]) out(y[rows])
__global__ void log_sum(const float *x, float *y, int rows, int width)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rows)
		return;
	const float *row = x + (size_t)r * width;
	float top = row[0];
	for (int i = 1; i < width; i++)
		if (row[i] > top)
			top = row[i];
	float sum = 0;
	for (int i = 0; i < width; i++)
		sum += expf(row[i] - top);
	y[r] = logf(sum) + top;
}

void launch(const float *x, float *y, int rows, int width)
{
	log_sum<<<(rows + 127) / 128, 128>>>(x, y, rows, width);
}
