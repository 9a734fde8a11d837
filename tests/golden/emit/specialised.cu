// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s scale ITEMS=2 named ITEMS=2 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.cu %s -- -arch=sm_90 -std=c++17 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -arch=sm_90 -std=c++17 -I%S/../../../runtime/include -c %t.cu -o %t.o
// An explicit specialisation of a kernel template: a template's launches may lead to it or to another one, which runs then.
#define ITEMS 1
template <typename T> __global__ void scale(T *y, const T *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[i] = x[i] + x[i];
}
#pragma ktune problem(n = 65536) in(x[n]) out(y[n]) tune(ITEMS = 1, 2) grid(1) block(128)
template <> __global__ void scale(float2 *y, const float2 *x, int n)
{
	for (int i = threadIdx.x; i < n; i += 128 * ITEMS)
		for (int k = 0; k < ITEMS && i + k * 128 < n; k++)
			y[i + k * 128] = make_float2(2 * x[i + k * 128].x, 2 * x[i + k * 128].y);
}
template <typename T> struct packed { using type = T; };
template <> struct packed<float> { using type = float2; };
template <typename T> void host(T *y, const T *x, int n)
{
	using P = typename packed<T>::type;
	// CHECK: {{^}}	ktune_d_[[D:[0-9a-f]+]]_scale(::ktune::launch_(1, 128), (P *)y, (const P *)x, n);
	scale<<<1, 128>>>((P *)y, (const P *)x, n);
	// Written template arguments have no place in a call of the dispatcher, and these lead to another instance.
	// CHECK: {{^}}	scale<T><<<1, 128>>>(y, x, n);
	scale<T><<<1, 128>>>(y, x, n);
}
template <typename T> __global__ void named(T *y, int n) { y[threadIdx.x] = n; }
#pragma ktune problem(n = 65536) out(y[n]) tune(ITEMS = 1, 2) grid(1) block(128)
template <>
__global__ void named<float2>(float2 *y, int n)
{
	for (int i = threadIdx.x; i < n; i += 128 * ITEMS)
		for (int k = 0; k < ITEMS && i + k * 128 < n; k++)
			y[i + k * 128].x = y[i + k * 128].y = 2;
}
void all(float *f, double *d, float2 *p, int n)
{
	host(f, f, n);
	host(d, d, n);
	// CHECK: {{^}}	ktune_d_[[N:[0-9a-f]+]]_named(::ktune::launch_(1, 128), p, n);
	named<float2><<<1, 128>>>(p, n);
	// CHECK: {{^}}	named<float><<<1, 128>>>(f, n);
	named<float><<<1, 128>>>(f, n);
	// CHECK: {{^}}	ktune_d_[[D]]_scale(::ktune::launch_(1, 128), p, p, n);
	scale<float2><<<1, 128>>>(p, p, n);
}
