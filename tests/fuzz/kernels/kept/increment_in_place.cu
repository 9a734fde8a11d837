// exact
// An increment reads what it writes: its vector access has to be loaded first.
#pragma ktune problem(n = 100, 1000) inout(y[n], z[n])
__global__ void k0(int *y, unsigned char *z, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int t = y[i]++ + ++z[i];
		z[i] = t * 300;
		if (--y[i] == 0) z[i]--;
	}
}
void run0(int *y, unsigned char *z, int n) { k0<<<(n + 63) / 64, 64>>>(y, z, n); }
#pragma ktune problem(n = 100, 1000) inout(x[n], y[n], z[n])
__global__ void k1(float *x, int *y, short *z, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		x[i]++;
		(y[i])--;
		if (z[i]++ > 0) z[i] += 3;
	}
}
void run1(float *x, int *y, short *z, int n) { k1<<<(n + 63) / 64, 64>>>(x, y, z, n); }
