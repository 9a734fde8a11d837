// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Numbers of the toolkit's own library do not ask where a thread stands.
// CHECK: template of 0 0
// CHECK: parameter VEC
#include <thrust/complex.h>
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void squared(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		thrust::complex<float> c(x[i], 1.0f);
		c = c * c;
		y[i] = c.real();
	}
}

void run(float *y, const float *x, int n) { squared<<<(n + 63) / 64, 64>>>(y, x, n); }
