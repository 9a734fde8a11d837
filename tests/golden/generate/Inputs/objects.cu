// Objects that are constant where the kernel names their class first.
struct Sink {
	float *to;
	__device__ void operator()(int at, float value) const { to[at] = value; }
};
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows * n]) out(y[rows * n])
__global__ void kept(float *y, const float *x, int n)
{
	const Sink sink{y};
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		sink(blockIdx.x * n + i, x[blockIdx.x * n + i]);
}
struct Line {
	float slope, offset;
};
#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
__global__ void mapped(float *y, const float *x, int n)
{
	const volatile int width = n;
	const Line line = {2.0f, 1.0f};
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < width)
		y[i] = line.slope * x[i] + line.offset;
}
void run(float *y, const float *x, int rows, int n)
{
	kept<<<rows, 128>>>(y, x, n);
	mapped<<<(n + 127) / 128, 128>>>(y, x, n);
}
