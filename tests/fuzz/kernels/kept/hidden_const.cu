// exact
// A typedef hides that an index and a parameter may not be changed.
typedef const int number;
#pragma ktune problem(n = 100, 4096; c = 8, 32) out(y[n]) in(x[n], w[n * c])
__global__ void k0(int *__restrict__ y, const int *__restrict__ x, const int *__restrict__ w, number n, number c)
{
	number i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		number scale = x[i];
		int sum = 0;
		for (int k = 0; k < c; k++)
			sum += w[k * n + i];
		y[i] = sum * scale;
	}
}
void run0(int *y, const int *x, const int *w, int n, int c) { k0<<<(n + 127) / 128, 128>>>(y, x, w, n, c); }
#pragma ktune problem(n = 100, 4096) out(z[n]) in(x[n])
__global__ void k1(int *__restrict__ z, const int *__restrict__ x, number n)
{
	number i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		z[i] = x[i] * 3;
}
void run1(int *z, const int *x, int n) { k1<<<(n + 127) / 128, 128>>>(z, x, n); }
