// What the IR does not understand: bounds of the launch are left.
#include <cuda_runtime.h>

namespace ops
{
#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
template <typename T> static __global__ void jumps(T *y, const T *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
again:
	if (i < n)
		y[i] = x[i] + x[i];
	i += gridDim.x * blockDim.x;
	if (i < n)
		goto again;
}
}

void run(float *y, const float *x, int n)
{
	ops::jumps<float><<<64, 1024>>>(y, x, n);
}
