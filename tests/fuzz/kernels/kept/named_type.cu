// A type's name in an item ended with the first block of a patch.
#pragma ktune problem(n = 100, 4096; c = 8, 32) out(y[n]) in(x[n], w[n * c])
__global__ void k0(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ w, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float sum = 0;
		for (int k = 0; k < c; k++)
			sum += w[k * n + i] * fabsf(x[i]);
		typedef volatile float real;
		real seen = sum * 0.5f;
		y[i] = seen + seen;
	}
}
void run0(float *y, const float *x, const float *w, int n, int c) { k0<<<(n + 63) / 64, 64>>>(y, x, w, n, c); }
