// Assertions: of the kernel, and of a function that it calls.
#include <cassert>

template <typename T> __device__ T checked(const T *x, int i, int n)
{
	assert(i < n && i != 7);
	return x[i];
}

#pragma ktune auto(loop_unroll) problem(n = 65536) in(x[n]) out(y[n])
__global__ void scaled(float *y, const float *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		const float v = checked(x, i, n + 1);
		assert(v >= 0.0f);
		y[i] = v * 2.0f;
	}
}

void run(float *y, const float *x, int n)
{
	scaled<<<64, 256>>>(y, x, n);
}
