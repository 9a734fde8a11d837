// exact
// no races: all write the same value.
#pragma ktune problem(n = 640, 1000) in(x[n]) inout(any[1]) out(y[n])
__global__ void k0(const int *x, int *any, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = x[i] + 1;
		if (x[i] > 0)
			any[0] = 1;
	}
}
void run0(const int *x, int *any, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, any, y, n); }
