// exact
// A block's next row needs what its last one left, in a variable or in memory: rows have an order. A variant's blocks
// have several rows also where those of the launch have one.
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k0(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int off = 0;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + off;
		off += row;
	}
}
void run0(const int *x, int *y, int rows, int d) { k0<<<2, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) inout(y[rows * d])
__global__ void k1(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + (row >= 2 ? y[(row - 2) * d + i] : 0);
	}
}
void run1(const int *x, int *y, int rows, int d) { k1<<<2, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) out(y[d])
__global__ void k2(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[i] = x[row * d + i];
	}
}
void run2(const int *x, int *y, int rows, int d) { k2<<<1, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) inout(y[rows])
__global__ void k3(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	__shared__ int part[32];
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		int s = 0;
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			s += x[row * d + i];
		part[threadIdx.x] = s;
		__syncthreads();
		for (int h = 16; h > 0; h /= 2) {
			if (threadIdx.x < h)
				part[threadIdx.x] += part[threadIdx.x + h];
			__syncthreads();
		}
		if (threadIdx.x == 0)
			y[row] = part[0] + (row > 1 ? y[row - 2] : 0);
		__syncthreads();
	}
}
void run3(const int *x, int *y, int rows, int d) { k3<<<2, 32>>>(x, y, rows, d); }
namespace own4 { struct seen { int rows = 0; __device__ void one() { rows++; } }; }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k4(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	own4::seen s;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + s.rows;
		s.one();
	}
}
void run4(const int *x, int *y, int rows, int d) { k4<<<2, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k5(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int s[2] = {0, 0};
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + s[row & 1];
		s[row & 1] = row;
	}
}
void run5(const int *x, int *y, int rows, int d) { k5<<<3, 32>>>(x, y, rows, d); }
namespace own6 { __device__ int total(int v) { for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o); return v; } }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) inout(y[rows])
__global__ void k6(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int all = 0;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		int s = 0;
		for (int i = threadIdx.x; i < d; i += 32)
			s += x[row * d + i];
		s = own6::total(s);
		all += s;
		if (threadIdx.x == 0)
			y[row] = all;
	}
}
void run6(const int *x, int *y, int rows, int d) { k6<<<2, 32>>>(x, y, rows, d); }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k7(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int off = 0;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + off;
		off += row;
	}
}
void run7(const int *x, int *y, int rows, int d) { k7<<<rows, 32>>>(x, y, rows, d); }
namespace own8 { __device__ int total(int v) { for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o); return v; } }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) inout(y[rows])
__global__ void k8(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	int all = 0;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		int s = 0;
		for (int i = threadIdx.x; i < d; i += 32)
			s += x[row * d + i];
		s = own8::total(s);
		all += s;
		if (threadIdx.x == 0)
			y[row] = all;
	}
}
void run8(const int *x, int *y, int rows, int d) { k8<<<rows, 32>>>(x, y, rows, d); }
namespace own9 { struct seen { int rows = 0; __device__ void one() { rows++; } }; }
#pragma ktune problem(rows = 3, 16; d = 96, 480) in(x[rows * d]) out(y[rows * d])
__global__ void k9(const int *__restrict__ x, int *__restrict__ y, int rows, int d)
{
	own9::seen s;
	for (int row = blockIdx.x; row < rows; row += gridDim.x) {
		for (int i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * d + i] + s.rows;
		s.one();
	}
}
void run9(const int *x, int *y, int rows, int d) { k9<<<rows, 32>>>(x, y, rows, d); }
