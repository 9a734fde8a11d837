// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// The instances of a kernel that the compiler makes: through host templates that call each other, members of class
// templates, generic lambdas and functions as arguments.
// CHECK: "instances":[
// CHECK-DAG: {"name":"k<float, ops::neg>","symbol":"{{[^"]+}}","arguments":["float","ops::neg"]
// CHECK-DAG: {"name":"k<double, ops::neg>"
// CHECK-DAG: {"name":"k<int, ops::twice<int>>"
// CHECK-DAG: {"name":"k<long, ops::neg>"
// CHECK-DAG: {"name":"k<short, ops::neg>"
// CHECK-NOT: )0>
#pragma ktune problem(n = 1024) inout(x[n])
template <typename T, float (*op)(float)> __global__ void k(T *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = op(x[i]);
}
namespace ops {
static __device__ float neg(float x) { return -x; }
template <typename T> static __device__ float twice(float x) { return 2 * x; }
}
template <float (*op)(float), typename T> void launch(T *x, int n) { k<T, op><<<(n + 255) / 256, 256>>>(x, n); }
template <typename T> void outer(T *x, int n) { launch<ops::neg>(x, n); }
template <typename T> struct layer {
	void forward(T *x, int n) { outer(x, n); }
	static void go(T *x, int n);
};
template <typename T> void layer<T>::go(T *x, int n) { launch<ops::twice<T>, T>(x, n); }
void run(float *f, double *d, int *i, long *l, short *s, int n)
{
	layer<double> made;
	outer(f, n);
	made.forward(d, n);
	layer<int>::go(i, n);
	auto any = [n](auto *p) { outer(p, n); };
	any(l);
	k<short, ops::neg><<<(n + 255) / 256, 256>>>(s, n);
}
