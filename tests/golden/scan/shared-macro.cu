// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A macro that other regions' kernels, launches and helpers use may be tuned in each; elsewhere it keeps its value.
// CHECK: "name":"a","kernel":"a"
// CHECK-SAME: {"name":"BLOCK",{{[^}]*}}"fixed":null}
// CHECK-SAME: {"name":"ROWS",{{[^}]*}}"fixed":"parameter-escapes"}
// CHECK-SAME: "callees":[{"name":"index"
// CHECK: "name":"b","kernel":"b"
// CHECK-SAME: {"name":"BLOCK",{{[^}]*}}"fixed":null}
// CHECK-SAME: "callees":[{"name":"index",{{.*}}{"name":"own"
// CHECK: "diagnostics":"
// CHECK-SAME: 'ROWS' keeps its value: it is also used outside the kernel, in line 26
#define BLOCK 128
#define ROWS 2
__device__ int index() { return blockIdx.x * BLOCK + threadIdx.x; }
__device__ int own(int i) { return i % BLOCK; }
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128) tune(ROWS = 1, 2)
__global__ void a(float *y, int n) { y[index()] = n + ROWS; }
#pragma ktune problem(n = 1024) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void b(float *y, int n) { y[index()] += own(n); }
void run(float *y, int n)
{
	int blocks = n / BLOCK;
	a<<<blocks, BLOCK>>>(y, n);
	b<<<n / BLOCK, BLOCK>>>(y, n);
}
__global__ void no_region(float *y) { y[ROWS] = 0; }
