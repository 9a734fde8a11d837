// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A macro that is defined again after a kernel, as where several sources are one: each kernel and its launches have the
// definition before the kernel's end.
// CHECK: "kernel":"a",{{.*}}"parameters":[{"name":"BLOCK",{{[^}]*}}"original":128,
// CHECK-SAME: "kernel":"b",{{.*}}"parameters":[{"name":"BLOCK",{{[^}]*}}"original":256,
// CHECK-SAME: "kernel":"c",{{.*}}"grid":["4"],"block":["64"]
#define BLOCK 128
#pragma ktune problem(n = 4096) out(y[n]) tune(BLOCK = 64, 128)
__global__ void a(float *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
void run_a(float *y, int n) { a<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }
#undef BLOCK
#define BLOCK 256
#pragma ktune problem(n = 4096) out(y[n]) tune(BLOCK = 64, 256)
__global__ void b(float *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
void run_b(float *y, int n) { b<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }
#undef BLOCK
#define BLOCK 64
#pragma ktune problem(n = 256) out(y[n])
__global__ void c(float *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
void run_c(float *y, int n) { c<<<4, BLOCK>>>(y, n); }
#undef BLOCK
#define BLOCK 32
