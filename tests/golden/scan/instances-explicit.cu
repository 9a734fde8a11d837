// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// RUN: %scan %s -- -std=c++17 -DNONE | %FileCheck --check-prefix=NONE %s
// RUN: %lower %s -- -std=c++17 | %FileCheck --check-prefix=LOWER %s
// Instances that explicit instantiations of the host's functions make, through host templates that these call: with and
// without written arguments, in a namespace, from a macro. What another unit instantiates is none, and neither is what a
// directive leaves out.
// CHECK: "instances":[
// CHECK-DAG: {"name":"dot<float>","symbol":"{{[^"]+}}","arguments":["float"]
// CHECK-DAG: {"name":"dot<double>"
// CHECK-DAG: {"name":"dot<int>"
// CHECK-DAG: {"name":"dot<short>"
// CHECK-DAG: {"name":"dot<unsigned int>"
// CHECK-DAG: {"name":"dot<unsigned long>"
// CHECK-DAG: {"name":"dot<signed char>"
// CHECK-NOT: dot<long>
// CHECK-NOT: dot<char>
// CHECK: "launches"
// NONE: "decline":"no-instance"
// All of them are lowered.
// LOWER-DAG: kernel dot _Z3dotIfEvPKT_PS0_i: 0 opaque
// LOWER-DAG: kernel dot _Z3dotIdEvPKT_PS0_i: 0 opaque
// LOWER-DAG: kernel dot _Z3dotIiEvPKT_PS0_i: 0 opaque
// LOWER-DAG: kernel dot _Z3dotIsEvPKT_PS0_i: 0 opaque
// LOWER-DAG: kernel dot _Z3dotIjEvPKT_PS0_i: 0 opaque
#pragma ktune problem(n = 1024) in(x[n]) out(z[1])
template <typename T> __global__ void dot(const T *x, T *z, int n) { *z = x[n - 1]; }
template <typename T> T device_dot(const T *x, T *z, int n)
{
	dot<T><<<1, 256>>>(x, z, n);
	return n;
}
template <typename T> struct vector { T *data; int n; };
template <typename T> vector<T> top(const vector<T> &v, int steps)
{
	for (int i = 0; i < steps; i++)
		(void)device_dot(v.data, v.data, v.n);
	return v;
}
namespace ops {
namespace inner {
template <typename T> T norm(const T *x, int n) { return device_dot(x, (T *)nullptr, n); }
#ifndef NONE
template int norm(const int *x, int n);
#endif
}
}
// What a class template launches with its members, where the class is instantiated.
template <typename T> class Stream {
	T *from, *to;

      public:
	void run(int n);
	void copy(int n) { dot<<<1, 32>>>(this->from, to, n); }
};
template <typename T> void Stream<T>::run(int n) { dot<<<1, 32>>>(from, to, n); }
template <typename T> struct Part {
	const T *whole;
	T *part;
	void run(int n) { dot<<<1, 32>>>(whole, this->part, n); }
};
#ifndef NONE
template class Stream<unsigned long>;
template struct Part<signed char>;
template vector<float> top(const vector<float> &v, int steps);
template vector<double> top<double>(const vector<double> &, int);
template short ops::inner::norm(const short *, int);
#define MAKE(T) template T ops::inner::norm<T>(const T *, int)
MAKE(unsigned);
#endif
extern template vector<long> top(const vector<long> &v, int steps);
#if 0
template vector<char> top(const vector<char> &v, int steps);
#endif
