// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && sed 's/^#pragma ktune name.*//' %s > %t/plain.cu
// RUN: python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t/lock %t/plain.cu fill BLOCK=64 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t/lock %ktcc emit -o - %s -- -arch=sm_90 -std=c++17 > %t/out 2> %t/said;  grep -v CHECK %t/out | %FileCheck %s
// RUN: %ktcc scan %s -- -arch=sm_90 -std=c++17 > %t/scan 2> %t/said; %FileCheck %s --check-prefix=SCAN < %t/scan
// RUN: %ktcc explain %s -- -arch=sm_90 -std=c++17 > %t/explain 2>&1; %FileCheck %s --check-prefix=EXPLAIN < %t/explain
// A region that is declined, for whatever reason, leaves the entries of the file's other regions to them.
#define BLOCK 128
#define WIDTH 4
// CHECK: KTUNE_GENERATED{{.*}} void ktune_v_{{[0-9a-f]+}}_fill(
// SCAN: declined_regions.cu:[[@LINE+2]]: fill
// SCAN-NOT: declined
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void fill(float *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
__global__ void twice(float *y, const float *t, int n) { y[blockIdx.x] = 2 * t[blockIdx.x] + n; }
__device__ float total;
__global__ void adds(float *y, int n) { total += y[blockIdx.x] * n; }
struct pair { int a, b; };
__global__ void paired(float *y, pair p) { y[blockIdx.x] = p.a; }
template <typename T> __global__ void generic(T *y, int n) { y[blockIdx.x] = n; }
int grid_of(int n);
// SCAN: declined_regions.cu:[[@LINE+2]]: misspelt
// SCAN-NEXT: declined: pragma-error
#pragma ktune name(misspelt) problem(n = 8) out(z[n]) tune(WIDTH = 2, 4)
__global__ void wide(float *y, int n) { y[blockIdx.x * WIDTH] = n; }
void run(float *y, float *t, int n, cudaStream_t s, pair p)
{
	fill<<<n / BLOCK, BLOCK, 0, s>>>(t, n);
	wide<<<n, 1, 0, s>>>(t, n);
// SCAN: declined_regions.cu:[[@LINE+2]]: buffer
// SCAN-NEXT: declined: pragma-error
#pragma ktune name(buffer) problem(n = 8) out(yy[n]) scratch(t[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: geometry
// SCAN-NEXT: declined: geometry-unknown: {{.*}} line [[@LINE+4]]: 'blocks, 1, 0, s'
#pragma ktune name(geometry) problem(n = 8) out(y[n]) scratch(t[n])
	{
		const int blocks = grid_of(n);
		twice<<<blocks, 1, 0, s>>>(t, y, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: unbound
// SCAN-NEXT: declined: binding-unknown: {{.*}} line [[@LINE+3]]: 'rows' is no argument and no variable there; write '#pragma ktune bind(rows =
#pragma ktune name(unbound) problem(n = 8; rows = 2) out(y[n]) scratch(t[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: values
// SCAN-NEXT: declined: pragma-error
#pragma ktune name(values) problem(n = 8) out(y[n]) scratch(t[n]) value(m = 3)
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: named
// SCAN-NEXT: declined: arguments-unknown
#pragma ktune name(named) problem(n = 8) out(y[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: symbol
// SCAN-NEXT: declined: mutable-global
#pragma ktune name(symbol) problem(n = 8) inout(y[n]) scratch(t[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		adds<<<n, 1, 0, s>>>(y, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: structure
// SCAN-NEXT: declined: argument-type
#pragma ktune name(structure) problem(n = 8) inout(y[n]) scratch(t[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		paired<<<n, 1, 0, s>>>(y, p);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: twins
// SCAN-NEXT: declined: no-instance
#pragma ktune name(twins) problem(n = 8) scratch(t[n], integers[n])
	{
		int *integers = (int *)y;
		generic<<<n, 1, 0, s>>>(t, n);
		generic<<<n, 1, 0, s>>>(integers, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: effects
// SCAN-NEXT: declined: launch-region-form: {{.*}}line [[@LINE+4]]: 'cudaStreamSynchronize(s)'
#pragma ktune name(effects) problem(n = 8) out(y[n]) scratch(t[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		cudaStreamSynchronize(s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: declined_regions.cu:[[@LINE+2]]: fine
// SCAN-NOT: declined
#pragma ktune name(fine) problem(n = 8) out(y[n]) scratch(t[n])
	{
		twice<<<n, 1, 0, s>>>(t, y, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// SCAN: step at line
}
// EXPLAIN: fill
// EXPLAIN: geometry
// EXPLAIN: line {{[0-9]+}}: 'blocks, 1, 0, s'
