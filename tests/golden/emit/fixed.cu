// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 -- -arch=sm_90
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.out %s -- -arch=sm_90 2>&1 | %FileCheck --check-prefix=SAID %s
// RUN: grep -v CHECK %t.out | %FileCheck %s
// RUN: env KTUNE_LOCK_DIR=%t %ktcc explain %s -- -arch=sm_90 | %FileCheck --check-prefix=WHY %s
// An entry that changes a parameter which the host has come to use: its geometry would not belong to the kernel's text.
// SAID: fixed.cu:{{[0-9]+}}: k is left unmodified
// CHECK: k<<<n / BLOCK, BLOCK>>>(y, n);
// CHECK-NOT: ktune_d_
// WHY: it changes a parameter that keeps its value
#define BLOCK 128
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	y[blockIdx.x * BLOCK + threadIdx.x] = n;
}
int run(float *y, int n)
{
	k<<<n / BLOCK, BLOCK>>>(y, n);
	return n / BLOCK;
}
