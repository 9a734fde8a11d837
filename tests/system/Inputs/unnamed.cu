// Kernels in a named namespace that is in an unnamed one, and a class there as an argument.
namespace {
namespace inner {
struct packed {
	float *values;
	int count;
};
constexpr int SCALE = 2;
#pragma ktune problem(n = 4096) in(p.values[n]) out(y[n]) value(p.count = n) tune(SCALE = 2, 4)
__global__ void scaled(float *y, packed p)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < p.count; i += blockDim.x * gridDim.x)
		y[i] = p.values[i] * SCALE / SCALE;
}
namespace {
constexpr int TIMES = 1;
#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(TIMES = 1, 2)
__global__ void copied(float *y, const float *x, int n)
{
	for (int i = (blockIdx.x * blockDim.x + threadIdx.x) * TIMES; i < n; i += blockDim.x * gridDim.x * TIMES)
		for (int k = 0; k < TIMES && i + k < n; k++)
			y[i + k] = x[i + k];
}
}
}
}
void run(float *y, float *x, int n)
{
	inner::scaled<<<4, 256>>>(y, inner::packed{x, n});
	inner::copied<<<4, 256>>>(y, x, n);
}
