// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Definitions outside of their namespaces; explicit specialisations, which are no instances to tune.
// CHECK: "name":"k","kernel":"k","qualified":"ops::v1::k"
// CHECK-SAME: "decline":null
// CHECK-SAME: "declaration":[{{[1-9]}}
// CHECK-SAME: "reopened":"ops::v1::"
// CHECK: "name":"deep","kernel":"deep","qualified":"ops::inner::deep"
// CHECK-SAME: "reopened":"inner::"
// CHECK: "name":"t","kernel":"t"
// CHECK-SAME: "instances":[{"name":"t<float>",{{[^{]*}}],"pragma"
// CHECK-SAME: "launches":[{{{[^{]*}}"decline":null,{{[^{]*}}"instance":0,
// CHECK-SAME: "decline":null,{{[^{]*}}"instance":-1,
namespace ops
{
inline namespace v1
{
__global__ void k(float *y, int n);
}
namespace inner
{
__global__ void deep(float *y, int n);
}
} // namespace ops
#define BLOCK 128
#pragma ktune problem(n = 8) out(y[n]) tune(BLOCK = 64, 128)
__global__ void ops::k(float *y, int n) { y[blockIdx.x * BLOCK] = n; }
namespace ops
{
#pragma ktune problem(n = 8) out(y[n])
__global__ void inner::deep(float *y, int n) { y[0] = n; }
} // namespace ops
#pragma ktune problem(n = 8) out(y[n])
template <typename T> __global__ void t(T *y, int n) { y[0] = n; }
template <> __global__ void t<double>(double *y, int n) { y[0] = -n; }
void run(float *y, double *z, int n)
{
	ops::k<<<n / BLOCK, BLOCK>>>(y, n);
	ops::inner::deep<<<1, 1>>>(y, n);
	t<<<1, 1>>>(y, n);
	t<<<1, 1>>>(z, n);
}
