// exact
// The remainder of an item's own index was taken for the same in all items of a group.
#pragma ktune problem(n = 100, 4096) inout(y[n]) in(x[n])
__global__ void k0(int *y, const int *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int own = x[i - i % 4];
	int r[4];
	for (int j = 0; j < 4; j++)
		r[j] = own + j;
	y[i] = r[1] + r[3];
}
void run0(int *y, const int *x, int n) { k0<<<(n + 31) / 32, 32>>>(y, x, n); }
