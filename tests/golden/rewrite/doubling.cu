// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Functions that call two others each, forty calls deep, are read once each and not once a path.
// CHECK: template of 0 0
// CHECK: parameter VEC
#include <cuda_runtime.h>
template <int N> __device__ float halves(float a)
{
	if constexpr (N == 0)
		return a;
	else
		return halves<N - 1>(a) + halves<N - 1>(a * 2);
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void halved(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = halves<40>(x[i]);
	}
}

void run(float *y, const float *x, int n)
{
	halved<<<(n + 63) / 64, 64>>>(y, x, n);
}
