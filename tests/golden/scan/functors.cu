// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Classes without members as arguments: bytes that nothing fills and no clause names.
// CHECK: "kernel":"apply",{{.*}}"decline":null
// CHECK: "name":"apply<add, twice>"
// CHECK: "elements":["none","none",
// CHECK: "bytes":[1,1,0,0,0]
// CHECK: "name":"apply<large<int>, twice>"
// CHECK: "bytes":[1,1,0,0,0]
struct nothing {};
struct add { __host__ __device__ float operator()(float a, float b) const { return a + b; } };
struct twice : nothing { __host__ __device__ float operator()(float a) const { return 2 * a; } };
template <typename T> struct large { __device__ float operator()(float a, float b) const { return a > b ? a : b; } };
#pragma ktune problem(n = 1000) in(x[n]) out(y[n])
template <typename F, typename G>
__global__ void apply(F f, G g, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = g(f(x[i], 1.0f));
}
template <typename F> void launch(F f, const float *x, float *y, int n) { apply<<<(n + 255) / 256, 256>>>(f, twice(), x, y, n); }
void run(const float *x, float *y, int n)
{
	launch(add(), x, y, n);
	launch(large<int>(), x, y, n);
}
// An argument with members beside one without.
// CHECK: "kernel":"scaled",{{.*}}"decline":null
// CHECK: "bytes":[1,4,0,0]
struct factor { float by; };
#pragma ktune problem(n = 1000) out(y[n]) value(by.by = 2)
__global__ void scaled(add f, factor by, float *y, int n) { y[threadIdx.x] = f(by.by, n); }
void run_scaled(float *y, int n) { scaled<<<n, 32>>>(add(), factor{2}, y, n); }
// One instance has a member, the other has none.
// CHECK: "kernel":"differing",{{.*}}"decline":"argument-type"
#pragma ktune problem(n = 1000) out(y[n])
template <typename F> __global__ void differing(F f, float *y, int n) { y[threadIdx.x] = n; }
void run_differing(float *y, int n)
{
	differing<<<n, 32>>>(add(), y, n);
	differing<<<n, 32>>>(factor{2}, y, n);
}
