// exact
// no races: atomic operations meet atomic ones alone.
#pragma ktune problem(n = 64, 1000) in(x[n]: range(0, 3)) inout(c[4]) out(y[n])
__global__ void k0(const int *x, int *c, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		atomicAdd(&c[x[i]], 1);
		y[i] = x[i];
	}
}
void run0(const int *x, int *c, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, c, y, n); }
