// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What is known of a launch region as a whole stands once, at its pragma, whatever the number of instances.
template <typename T> __global__ void means(float *mean, const T *__restrict__ x, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < 1; i += blockDim.x)
		mean[row] = (float)x[row * d + i];
}
template <typename T> __global__ void apart(T *__restrict__ y, const T *__restrict__ x, const float *mean, int d)
{
	const int row = blockIdx.x;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[row * d + i] = (T)((float)x[row * d + i] - mean[row]);
}
template <typename T> void run(T *y, const T *x, float *mean, int rows, int d)
{
#pragma ktune problem(rows = 16, 64; d = 1024, 4096) in(x[rows * d]) out(y[rows * d]) scratch(mean[rows])
	{ // CHECK-COUNT-1: line [[# @LINE - 1]] 'd' is a multiple of 1024 on every problem
		means<T><<<rows, 256>>>(mean, x, d);
		apart<T><<<rows, 256>>>(y, x, mean, d);
	}
}
// CHECK-NOT: on every problem
template void run(float *, const float *, float *, int, int);
template void run(double *, const double *, float *, int, int);
