// What [=] captures was found at the sign itself, which became an element of an array: no variant compiled.
#pragma ktune problem(n = 64, 640, 6400; c = 8, 32) out(y[n]) in(x[n], w[n * c])
__global__ void k0(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ w, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float scale = x[i];
		float sum = 0;
		for (int k = 0; k < c; k++)
			sum += w[k * n + i];
		auto f = [=](float from) { return from * sum - 1.5f; };
		y[i] = f(scale);
	}
}
void run0(float *y, const float *x, const float *w, int n, int c) { k0<<<(n + 127) / 128, 128>>>(y, x, w, n, c); }
