// no races: a barrier is between the threads that write and those that read.
#pragma ktune problem(rows = 7; d = 70, 128) in(x[rows * d]) out(y[rows * d], mean[rows])
__global__ void k0(const float *x, float *y, float *mean, int rows, int d)
{
	const int row = blockIdx.x;
	if (threadIdx.x == 0) {
		float sum = 0;
		for (int j = 0; j < d; j++)
			sum += x[row * d + j];
		mean[row] = sum / d;
	}
	__syncthreads();
	for (int j = threadIdx.x; j < d; j += blockDim.x)
		y[row * d + j] = x[row * d + j] - mean[row];
}
void run0(const float *x, float *y, float *mean, int rows, int d) { k0<<<rows, 64>>>(x, y, mean, rows, d); }
