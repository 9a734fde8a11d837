// exact
// A sum so far is used where it is added to: in a declaration, a condition, the head of a loop.
#pragma ktune problem(rows = 3, 16; d = 100, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k0(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int s = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		const int t = s += x[blockIdx.x * d + i];
		y[blockIdx.x * d + i] = t;
	}
}
void run0(const int *x, int *y, int rows, int d) { k0<<<rows, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 100, 480) in(x[rows * d]: range(-1, 1)) out(y[rows * d])
__global__ void k1(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int s = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		int t = 7;
		if (s += x[blockIdx.x * d + i])
			t = 9;
		y[blockIdx.x * d + i] = t;
	}
}
void run1(const int *x, int *y, int rows, int d) { k1<<<rows, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 100, 480) in(x[rows * d]: range(-1, 1)) out(y[rows * d])
__global__ void k2(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int s = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		int t = 0;
		for (int k = s += x[blockIdx.x * d + i]; k > 0; k--)
			t++;
		y[blockIdx.x * d + i] = t;
	}
}
void run2(const int *x, int *y, int rows, int d) { k2<<<rows, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 100, 480) in(x[rows * d]: range(-1, 1)) out(y[rows * d])
__global__ void k3(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int s = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		int t = 0;
		do {
			t++;
			if (t > 5)
				break;
		} while (s += x[blockIdx.x * d + i]);
		y[blockIdx.x * d + i] = t;
	}
}
void run3(const int *x, int *y, int rows, int d) { k3<<<rows, 32>>>(x, y, rows, d); }
