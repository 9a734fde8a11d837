// A class without members as an argument goes to the variant as it came.
// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.cu %s -- -arch=sm_90 -std=c++17 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -std=c++17 -arch=sm_90 -I %prefix/include -c %t.cu -o %t.o
#define BLOCK 128
struct add { __host__ __device__ float operator()(float a, float b) const { return a + b; } };
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
template <typename F>
__global__ void k(F f, float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = f(i, 1);
}
// CHECK: __global__ void ktune_v_{{[0-9a-f]+}}_k(F f, float *y, int n)
void run(float *y, int n)
{
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(add(), y, n);
	// CHECK: ktune_{{[do]}}_{{[0-9a-f]+}}_k{{.*}}add(), y, n)
}
