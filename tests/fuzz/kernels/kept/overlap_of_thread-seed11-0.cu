// exact
// Buffers that overlap at a thread's own distance: each iteration reads what an earlier one of the thread wrote.
#pragma ktune problem(rows = 4, 16; d = 96, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k0(const int *x, int *y, int rows, int d)
{
	for (int row = blockIdx.x; row < rows; row += gridDim.x)
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + 1;
}
void run0(const int *x, int *y, int rows, int d) { k0<<<1, 8>>>(x, y, rows, d); }
#pragma ktune problem(n = 96, 480) in(x[2 * n]) out(y[2 * n])
__global__ void k1(const int *x, int *y, int n)
{
	for (int i = threadIdx.x; i < n; i += 8)
		y[2 * i] = x[2 * i] + 1;
}
void run1(const int *x, int *y, int n) { k1<<<1, 8>>>(x, y, n); }
#pragma ktune problem(n = 96, 480) in(x[2 * n]) out(y[2 * n])
__global__ void k2(const int *x, int *y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[2 * i] = x[2 * i] + 1;
}
void run2(const int *x, int *y, int n) { k2<<<1, 8>>>(x, y, n); }
