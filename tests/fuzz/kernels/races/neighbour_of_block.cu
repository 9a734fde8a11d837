// exact
// races: another block's element is read, before or after it doubles: the same comparison in each order of the blocks.
#pragma ktune problem(n = 640, 1000) inout(x[n]: range(0, 3)) out(y[n])
__global__ void k0(int *x, int *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		y[i] = x[(i + 64) % n] > 0 ? i : -i;
		x[i] = x[i] * 2;
	}
}
void run0(int *x, int *y, int n) { k0<<<(n + 63) / 64, 64>>>(x, y, n); }
