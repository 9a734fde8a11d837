// Long rows, few of them: blocks may share one.
#pragma ktune problem(rows = 4; d = 8192) in(x[rows * d]) out(y[rows])
__global__ void row_sums(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float part[256];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += 256)
		sum += x[blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = 128; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run(float *y, const float *x, int rows, int d) { row_sums<<<rows, 256>>>(y, x, d); }
