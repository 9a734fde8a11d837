// exact
// Loads of a row in vectors came before what the same iteration stores there and loads again.
#pragma ktune problem(n = 32, 64; k = 12, 100) in(x[n * k]) inout(y[n * k]) out(z[n])
__global__ void k0(const int *x, int *y, int *z, int n, int k)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int sum = 0;
		for (int j = 0; j < k; j++) {
			y[i * k + j] = x[i * k + j] * 3;
			sum = sum * 5 + y[i * k + j];
		}
		for (int j = 0; j < k; j++) {
			y[i * k + j] += sum;
			sum += y[i * k + j] ^ j;
		}
		z[i] = sum;
	}
}
void run0(const int *x, int *y, int *z, int n, int k) { k0<<<(n + 63) / 64, 64>>>(x, y, z, n, k); }
