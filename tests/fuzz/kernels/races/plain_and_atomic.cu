// exact
// races: a plain load of what other threads add to.
#pragma ktune problem(n = 640, 1000) in(x[n]: range(0, 3)) inout(c[1]: range(5, 9)) out(y[n])
__global__ void k0(const int *x, int *c, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		atomicAdd(c, x[i]);
		y[i] = c[0] > 4 ? i : -i;
	}
}
void run0(const int *x, int *c, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, c, y, n); }
