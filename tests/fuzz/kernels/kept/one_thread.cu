// exact
// One thread does all iterations: nothing that would be a race of threads is ruled out.
#pragma ktune problem(n = 96, 480) in(x[n]) inout(y[1])
__global__ void k0(const int *__restrict__ x, int *__restrict__ y, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		if (x[i] > 1)
			y[0] = i;
}
void run0(const int *x, int *y, int n) { k0<<<1, 1>>>(x, y, n); }
#pragma ktune problem(n = 96, 480) in(x[n]: range(0, 7)) inout(y[8])
__global__ void k1(const int *__restrict__ x, int *__restrict__ y, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[x[i] & 7] += 1;
}
void run1(const int *x, int *y, int n) { k1<<<1, 1>>>(x, y, n); }
#pragma ktune problem(n = 96, 480) in(x[n]) inout(y[n])
__global__ void k2(const int *__restrict__ x, int *__restrict__ y, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[i / 2] += x[i];
}
void run2(const int *x, int *y, int n) { k2<<<1, 1>>>(x, y, n); }
#pragma ktune problem(n = 96, 480) in(x[n]) inout(y[2])
__global__ void k3(const int *__restrict__ x, int *__restrict__ y, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		y[i > 40 ? 1 : 0] += x[i];
	}
}
void run3(const int *x, int *y, int n) { k3<<<1, 1>>>(x, y, n); }
#pragma ktune problem(rows = 3, 16; d = 96, 200) in(x[rows * d]) inout(y[rows * d])
__global__ void k4(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = x[blockIdx.x * d + i] + (i >= 3 ? y[blockIdx.x * d + i / 3] : 0);
}
void run4(const int *x, int *y, int rows, int d) { k4<<<rows, 1>>>(x, y, rows, d); }
