// exact
// A list of captures names variables: they stay what they are.
#pragma ktune problem(n = 64, 640, 6400; c = 8, 32) out(y[n]) in(x[n], w[n * c])
__global__ void k0(int *__restrict__ y, const int *__restrict__ x, const int *__restrict__ w, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int scale = x[i];
		int sum = 0;
		for (int k = 0; k < c; k++)
			sum += w[k * n + i];
		auto f = [sum](int from) { return from * sum - 1; };
		auto g = [&sum](int from) { return from * sum - 2; };
		auto h = [own = sum](int from) { return from * own - 3; };
		y[i] = f(scale) + g(scale) + h(scale);
	}
}
void run0(int *y, const int *x, const int *w, int n, int c) { k0<<<(n + 127) / 128, 128>>>(y, x, w, n, c); }
