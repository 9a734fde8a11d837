// Brackets of a launch that a formatter has taken apart: the whole of them is replaced.
// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 -- -arch=sm_90
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.cu %s -- -arch=sm_90 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -std=c++17 -arch=sm_90 -I %prefix/include -c %t.cu -o %t.o
#define BLOCK 128
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = i;
}
void run(float *y, int n)
{
	// CHECK: {{^}}	ktune_d_[[D:[0-9a-f]+_k]] (::ktune::launch_((n + BLOCK - 1) / BLOCK, BLOCK ), y, n);
	k << <(n + BLOCK - 1) / BLOCK, BLOCK >> > (y, n);
	// CHECK-NEXT: {{^}}	ktune_d_[[D]](::ktune::launch_((n + BLOCK - 1) / BLOCK, BLOCK), y, n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>> >(y, n);
}
