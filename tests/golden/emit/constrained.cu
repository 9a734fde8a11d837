// Constrained kernel templates: variants keep the clause `requires`, before their specifiers.
// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 r BLOCK=64 -- -arch=sm_90 -std=c++20
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.cu %s -- -arch=sm_90 -std=c++20 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -std=c++20 -arch=sm_90 -I %prefix/include -c %t.cu -o %t.o
#include <concepts>
#define BLOCK 128
template <typename T> concept Real = std::floating_point<T>;
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
// CHECK: {{^}}template <Real T> KTUNE_GENERATED static __global__ void ktune_v_
template <Real T> __global__ void k(T *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
// CHECK: {{^}}template <typename T> requires Real<T> && (sizeof(T) == 4) KTUNE_GENERATED static __global__ void ktune_v_
template <typename T> requires Real<T> && (sizeof(T) == 4) __global__ void r(T *y, int n)
{
	y[blockIdx.x * BLOCK + threadIdx.x] = n;
}
void run(float *y, int n)
{
	k<<<n / BLOCK, BLOCK>>>(y, n);
	r<float><<<n / BLOCK, BLOCK>>>(y, n);
}
