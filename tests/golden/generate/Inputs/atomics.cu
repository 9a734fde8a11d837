// Sums, bounds and counts that every thread adds to by atomics.
#pragma ktune problem(n = 65536) in(x[n] : uniform(0, 1), y[n] : uniform(0, 1)) inout(result[1] : zeros)
__global__ void dot(float *result, const float *x, const float *y, int n)
{
	float sum = 0.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += x[i] * y[i];
	atomicAdd(result, sum);
}
#pragma ktune problem(n = 65536) in(x[n] : range(-100, 100)) inout(bounds[2] : zeros)
__global__ void extremes(int *bounds, const int *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	atomicMin(&bounds[0], x[i]);
	atomicMax(&bounds[1], x[i]);
}
#pragma ktune problem(n = 65536) in(x[n] : uniform(-1, 1)) inout(counts[2] : zeros)
__global__ void signs(unsigned long long *counts, const double *x, long long n)
{
	for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)blockDim.x * gridDim.x) {
		if (x[i] < 0)
			atomicAdd(&counts[0], 1ull);
		else
			atomicAdd(&counts[1], 1ull);
	}
}
#pragma ktune problem((rows, d) = (64, 1000)) in(x[rows * d] : uniform(0, 1)) inout(sums[rows] : zeros)
__global__ void row_sums(double *sums, const double *x, int d)
{
	const double *row = x + (size_t)blockIdx.x * d;

	for (int k = threadIdx.x; k < d; k += blockDim.x)
		atomicAdd(&sums[blockIdx.x], row[k]);
}
#pragma ktune problem((rows, d) = (64, 1000)) in(x[rows * d] : uniform(0, 1)) out(y[rows * d])
__global__ void by_rows(float *__restrict__ y, const float *__restrict__ x, int rows, int d)
{
	for (int row = blockIdx.x; row < rows; row += gridDim.x)
		for (int k = threadIdx.x; k < d; k += blockDim.x)
			y[row * d + k] = 2.0f * x[row * d + k];
}
void run(float *result, int *bounds, unsigned long long *counts, double *sums, const float *x, const float *y, const int *z, const double *w, float *to, int n, int rows, int d)
{
	dot<<<64, 128>>>(result, x, y, n);
	extremes<<<(n + 255) / 256, 256>>>(bounds, z, n);
	signs<<<(n + 127) / 128, 128>>>(counts, w, n);
	row_sums<<<rows, 64>>>(sums, w, d);
	by_rows<<<32, 64>>>(to, x, rows, d);
}
