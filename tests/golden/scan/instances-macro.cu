// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Explicit instantiations that macros write: of a member, of a class, of a function and of the kernel itself.
// CHECK: "instances":[
// CHECK-DAG: {"name":"k<float>"
// CHECK-DAG: {"name":"k<double>"
// CHECK-DAG: {"name":"k<int>"
// CHECK-DAG: {"name":"k<long>"
// CHECK-DAG: {"name":"k<short>"
// CHECK-NOT: "name":"k<char>"
// CHECK: "pragma"
namespace nets {
#pragma ktune problem(n = 1024) inout(x[n])
template <typename T> __global__ void k(T *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = 2 * x[i];
}
template <typename T> struct layer {
	void forward(T *x, int n);
	void backward(T *x, int n) { k<T><<<(n + 255) / 256, 256>>>(x, n); }
};
template <typename T> void layer<T>::forward(T *x, int n) { k<T><<<(n + 255) / 256, 256>>>(x, n); }
template <typename T> void run(T *x, int n) { k<T><<<(n + 255) / 256, 256>>>(x, n); }
#define FORWARD(name, type) template void name<type>::forward(type *x, int n)
#define ALL_OF(name) FORWARD(name, float); FORWARD(name, double)
#define CLASSES(name) template struct name<int>;
#define RUN(type) \
	template void run<type>(type *x, int n); \
	static_assert(sizeof(type) > 0, "a type");
#define KERNEL(type) template __global__ void k<type>(type *x, int n);
#define UNUSED(type) template void run<type>(type *x, int n);
ALL_OF(layer);
CLASSES(layer)
RUN(long)
KERNEL(short)
}
