// exact
// races: of two threads of a warp, each reads the other's element before or after it doubles.
#pragma ktune problem(n = 640, 1000) inout(x[n]: range(0, 3)) out(y[n])
__global__ void k0(int *x, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = x[min(i ^ 1, n - 1)] > 0 ? i : -i;
		x[i] = x[i] * 2;
	}
}
void run0(int *x, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, y, n); }
