// exact
// races: several threads write the parity of their index to one element; the first and the last of them write 1.
#pragma ktune problem(n = 640, 1000) in(x[n]) inout(last[1]) out(y[n])
__global__ void k0(const int *x, int *last, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = x[i] + 1;
		last[0] = i != n / 2;
	}
}
void run0(const int *x, int *last, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, last, y, n); }
