// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A clause names the instances that are tuned; the launches of others run the original.
#include <cuda_fp16.h>
// CHECK: "kernel":"scaled",{{[^{]*}}"decline":null
// CHECK-SAME: "instances":[{"name":"scaled<float, 128>"{{.*}}{"name":"scaled<__half, 256>"
// CHECK-SAME: "launches":[{"file":"{{[^"]*}}","line":[[#@LINE+46]],{{[^{]*}}"decline":null,
// CHECK-SAME: "line":[[#@LINE+46]],{{[^{]*}}"decline":"instance-excluded"
// CHECK-SAME: "line":[[#@LINE+46]],{{[^{]*}}"decline":null,
// CHECK-SAME: "line":[[#@LINE+46]],{{[^{]*}}"decline":"instance-excluded"
// CHECK-SAME: "kernel":"alone",{{[^{]*}}"decline":"pragma-error"
// CHECK-SAME: "kernel":"plain",{{[^{]*}}"decline":"pragma-error"
// CHECK-SAME: "kernel":"grouped",{{[^{]*}}"decline":null
// CHECK-SAME: "instances":[{"name":"grouped<float>",
// CHECK-SAME: "kernel":"grouped",{{[^{]*}}"decline":null
// CHECK-SAME: "instances":[{"name":"grouped<double>",
// CHECK-SAME: "kernel":"grouped",{{[^{]*}}"decline":"pragma-error"
// CHECK-SAME: "kernel":"hidden",{{[^{]*}}"decline":null
// CHECK-SAME: "kernel":"hidden",{{[^{]*}}"decline":"instance-group"
// CHECK-SAME: instances-listed.cu:[[#@LINE+13]]:43: error: no instance 'double' of 'alone' is launched
// CHECK-SAME: hint: launched are alone<float>
// CHECK-SAME: instances-listed.cu:[[#@LINE+11]]:51: error: 'alone' has 1 template parameter, and '<float, 2>' names 2
// CHECK-SAME: hint: write the first ones
// CHECK-SAME: instances-listed.cu:[[#@LINE+11]]:43: error: 'plain' is no template
// CHECK-SAME: hint: leave instances(…) out
// CHECK-SAME: instances-listed.cu:[[#@LINE+13]]:43: error: 'grouped<float>' has two pragmas, in lines [[#@LINE+11]] and [[#@LINE+13]]
// CHECK-SAME: hint: name each instance in one of them
#pragma ktune problem(n = 64) instances(<float, 128>, half) in(x[n]) out(y[n])
template <typename T, int B> __global__ void scaled(T *y, const T *x, int n)
{
	y[threadIdx.x] = x[threadIdx.x];
}
#pragma ktune problem(n = 64) instances(  double, <float, 2>) in(x[n]) out(y[n])
template <typename T> __global__ void alone(T *y, const T *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#pragma ktune problem(n = 64) instances(  float) in(x[n]) out(y[n])
__global__ void plain(float *y, const float *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#pragma ktune problem(n = 64) instances(float) in(x[n]) out(y[n])
#pragma ktune problem(n = 128) instances(double) in(x[n]) out(y[n])
#pragma ktune problem(n = 64) instances(  float, int) in(x[n]) out(y[n])
template <typename T> __global__ void grouped(T *y, const T *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#pragma ktune problem(n = 64) instances(float) in(x[n]) out(y[n])
#pragma ktune problem(n = 128) instances(double) in(x[n]) out(y[n])
template <typename T> __global__ void hidden(T *y, const T *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }
template <typename T> void run_hidden(T *y, const T *x, int n) { hidden<T><<<1, 64>>>(y, x, n); }
void run(float *y, const float *x, __half *h, int n)
{
	run_hidden(y, x, n);
	run_hidden((double *)h, (const double *)h, n);
	grouped<float><<<1, 64>>>(y, x, n);
	grouped<double><<<1, 64>>>((double *)h, (double *)h, n);
	grouped<int><<<1, 64>>>((int *)h, (int *)h, n);

	scaled<float, 128><<<1, 64>>>(y, x, n);
	scaled<float, 256><<<1, 64>>>(y, x, n);
	scaled<__half, 256><<<1, 64>>>(h, h, n);
	scaled<int, 256><<<1, 64>>>((int *)h, (int *)h, n);
	alone<float><<<1, 64>>>(y, x, n);
	plain<<<1, 64>>>(y, x, n);
}
