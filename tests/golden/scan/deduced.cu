// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Instances that no text names: the host function's arguments follow from its parameters, the kernel's from what it is passed, and a
// constant of the host function is a number.
// CHECK: "instances":[{"name":"k<float, 128>"
// CHECK-SAME: "types":["float *","const float *","int"]
// CHECK-SAME: {"name":"k<__half, 128>"
// CHECK: "kernel":"m"
// CHECK-SAME: "instances":[{"name":"m<float>"
// CHECK-SAME: {"name":"m<__half>"
// What the preprocessor leaves out is no instance, and what has a text of its own is no instance of this one.
// CHECK-NOT: double
// CHECK: "kernel":"own"
// CHECK-SAME: "instances":[{"name":"own<float>"
// CHECK-NOT: own<__half>
#include <cuda_fp16.h>
#pragma ktune problem(n = 64) out(y[n]) in(x[n])
template <typename T, int THREADS> __global__ void k(T *y, const T *__restrict__ x, int n)
{
	const int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
#pragma ktune problem(n = 64) inout(y[n]) in(x[n])
template <typename T> __global__ void m(T *y, const T *x, const int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
#pragma ktune problem(n = 64) inout(y[n]) in(x[n])
template <typename T> __global__ void own(T *y, const T *x, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
template <> __global__ void own(half *y, const half *x, int n) { y[0] = x[n]; }
template <typename T> void host(T *output, const T *input, const int n, cudaStream_t stream)
{
	constexpr int THREADS = 128;
	k<T, THREADS><<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(output, input, n);
	m<<<(n + 255) / 256, 256, 0, stream>>>(output, input, n);
	own<<<(n + 255) / 256, 256, 0, stream>>>(output, input, n);
}
template void host(float *output, const float *input, const int n, cudaStream_t stream);
template void host(half *, const half *, const int, cudaStream_t);
#ifdef NEVER
template void host(double *, const double *, const int, cudaStream_t);
template void host<double>(double *, const double *, const int, cudaStream_t);
#endif
