// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Instances: explicit, deduced, from a host template's calls and from its explicit instantiations.
// CHECK: "instances":[
// CHECK-DAG: {"name":"k<__half, 4>"{{[^}]*}}"elements":["f16","f16","i32"],"types":["__half *","const __half *","int"]
// CHECK-DAG: {"name":"k<float, 4>"
// CHECK-DAG: {"name":"k<double, 2>"
// CHECK: "declaration":[
// CHECK-SAME: "in_anonymous_namespace":true
#include <cuda_fp16.h>
namespace ops {
namespace {
template <typename T, int V = 2> __global__ void k(T *y, const T *__restrict__ x, int d);
#pragma ktune problem(d = 64) out(y[d]) in(x[d]) tune(V = 1, 2, 4)
template <typename T, int V> __global__ void k(T *y, const T *__restrict__ x, int d)
{
	for (int i = V * threadIdx.x; i < d; i += V) y[i] = x[i];
}
} // namespace
} // namespace ops
template <typename T> void host(T *y, const T *x, int d) { ops::k<T, 4><<<1, 32>>>(y, x, d); }
void run(half *y, const half *x, double *z, int d)
{
	host(y, x, d);
	ops::k<<<1, 32>>>(z, z, d);
}
template void host<float>(float *, const float *, int);
