// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "name":"a"
// CHECK-SAME: "is_static":false,"is_extern_c":true
// CHECK: "name":"b"
// CHECK-SAME: "is_static":true,"is_extern_c":false
extern "C" {
#pragma ktune problem(n = 1) out(z[n])
__global__ void a(float *z, int n) { z[0] = n; }
}
#pragma ktune problem(n = 1) out(z[n])
static __global__ void b(float *z, int n) { z[0] = n; }
void run(float *z, int n) { a<<<1, 1>>>(z, n); b<<<1, 1>>>(z, n); }
