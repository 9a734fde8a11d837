#pragma ktune problem(n = 65536, 33554432) in(x[n]) out(y[n])
__global__ void twice(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = 2 * x[i];
}

void run(float *y, const float *x, int n)
{
	twice<<<(n + 255) / 256, 256>>>(y, x, n);
}
