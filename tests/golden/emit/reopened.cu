// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 -- -arch=sm_90
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o - %s -- -arch=sm_90 | grep -v CHECK | %FileCheck %s
// A definition outside of its namespace: variants and dispatcher stand inside of it, without the qualifier. A launch that
// device code skips is rewritten; one by a function of the runtime stays.
namespace ops
{
__global__ void k(float *y, int n);
}
#define BLOCK 128
// CHECK: static inline void [[K:ktune_d_[0-9a-f]+_k]](const ::ktune::launch_ &ktune_at, float * ktune_a0, int ktune_a1);
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void ops::k(float *y, int n)
{
	y[blockIdx.x * BLOCK + threadIdx.x] = n;
}
// CHECK: __global__ void ops::k(float *y, int n)
// CHECK: {{^}}namespace ops {
// CHECK: static __global__ void ktune_v_{{[0-9a-f]+}}_k(float *y, int n)
// CHECK: static inline void [[K]](const ::ktune::launch_ &ktune_at, float * ktune_a0, int ktune_a1)
// CHECK: {{^}}}
// CHECK: #line 16
void run(float *y, int n)
{
	void *arguments[] = {&y, &n};
#ifndef __CUDA_ARCH__
	// CHECK: {{^}}	::ops::[[K]](::ktune::launch_(n / BLOCK, BLOCK), y, n);
	ops::k<<<n / BLOCK, BLOCK>>>(y, n);
#endif
	// CHECK: ::ktune::cudaLaunchKernel(reinterpret_cast<const void *>(::ops::ktune_w_{{[0-9a-f]+}}_k()), dim3(n / 128)
	cudaLaunchKernel(reinterpret_cast<const void *>(ops::k), dim3(n / 128), dim3(128), arguments, 0, nullptr);
}
