// exact
// Elements of one thread that are as far apart as an argument says: a block's threads, or fewer.
#pragma ktune problem(n = 64, 1000; t = 32) in(x[n]) inout(y[n]) restriction(t <= 64)
__global__ void k0(const int *__restrict__ x, int *__restrict__ y, int n, int t)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[i] = x[i] + (i >= t ? y[i - t] : 0);
}
void run0(const int *x, int *y, int n, int t) { k0<<<1, t>>>(x, y, n, t); }
#pragma ktune problem(rows = 3; d = 64, 480; t = 32) in(x[rows * d]) inout(y[rows * d]) restriction(t <= 64)
__global__ void k1(const int *__restrict__ x, int *__restrict__ y, int rows, int d, int t)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i] + (i >= t ? y[blockIdx.x * d + i - t] : 0);
}
void run1(const int *x, int *y, int rows, int d, int t) { k1<<<rows, t>>>(x, y, rows, d, t); }
