// Loops over the grid that write where quotients lead: each iteration is another thread's where the grid has one for each index.
#define EACH_INDEX(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

#pragma ktune problem(rows = 16; c = 24, 33) in(x[rows * c]) inout(y[rows * c * 2]) value(shift = 1)
__global__ void behind(float *y, const float *x, int rows, int c, int shift)
{
	EACH_INDEX(i, rows * c) {
		const int row = i / c, column = i % c;
		y[(row * 2 + shift) * c + column] = x[i] * (float)(row + 1);
	}
}

#pragma ktune problem(rows = 16; c = 24, 33) in(x[rows * c]) out(y[rows * c])
__global__ void turned(double *y, const double *x, int rows, int c)
{
	EACH_INDEX(i, rows * c)
		y[i % c * rows + i / c] = x[i];
}
void run(float *y, const float *x, double *z, const double *w, int rows, int c)
{
	behind<<<(rows * c + 127) / 128, 128>>>(y, x, rows, c, 1);
	turned<<<(rows * c + 127) / 128, 128>>>(z, w, rows, c);
}
