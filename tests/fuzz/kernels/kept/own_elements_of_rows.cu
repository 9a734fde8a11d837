// exact
// The same by a mask, in a loop over a row, and with what an earlier iteration of the thread left.
#pragma ktune problem(rows = 16; d = 512) out(last[rows * 32]) inout(y[rows * d]) in(x[rows * d])
__global__ void k0(int *__restrict__ last, int *__restrict__ y, const int *__restrict__ x, int rows, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += 32) {
		last[row * 32 + (i & 31)] = x[row * d + i];
		if (i >= 32)
			y[row * d + i] += y[row * d + i - 32];
	}
}
void run0(int *last, int *y, const int *x, int rows, int d) { k0<<<rows, 32>>>(last, y, x, rows, d); }
