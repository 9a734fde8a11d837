// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Explicit specialisations of kernel templates are plain kernels, where their arguments tell which one is meant.
template <typename T, int N> __global__ void number(T *y, int n) { y[threadIdx.x] = n * N; }
template <typename T, typename U> __global__ void type(T *y, U n) { y[threadIdx.x] = n; }
template <typename T, typename R> __global__ void result(T *y, int n) { y[threadIdx.x] = (R)n; }
// CHECK: "kernel":"number",{{.*}}"decline":"launch-form","decline_detail":"line [[@LINE+1]]: template arguments of the explicit specialisation 'number' do not follow from its arguments; write the pragma above the template, or the specialisation as a separate kernel"
#pragma ktune problem(n = 64) out(y[n])
template <> __global__ void number<float, 2>(float *y, int n) { y[threadIdx.x] = n; }
// CHECK: "kernel":"result",{{.*}}"decline":"launch-form"
#pragma ktune problem(n = 64) out(y[n])
template <> __global__ void result<float, short>(float *y, int n) { y[threadIdx.x] = n; }
// CHECK: "kernel":"type",{{.*}}"decline":null
// CHECK: "instance":0{{.*}}
// CHECK: "decline":null,{{.*}}"instance":0
#pragma ktune problem(n = 64) out(y[n])
template <> __global__ void type(double *y, int n) { y[threadIdx.x] = n; }
template <typename T> void host(T *y, int n)
{
	type<<<n / 32, 32>>>(y, n);
	type<T, int><<<n / 32, 32>>>(y, n);
}
void run(double *y, float *f, int n)
{
	number<float, 2><<<n / 32, 32>>>(f, n);
	result<float, short><<<n / 32, 32>>>(f, n);
	type<double, int><<<n / 32, 32>>>(y, n);
	host(y, n);
}
