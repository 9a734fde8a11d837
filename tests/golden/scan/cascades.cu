// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// One mistake, one message: names that a misspelt clause may define are no news; each name is suggested once.
// CHECK: "diagnostics":"
// CHECK-SAME: :13:15: error: unknown clause 'probelm'
// CHECK-NOT: :13:{{.*}} error: unknown name
// CHECK-SAME: :15:{{.*}} error: unknown name 'blockDim.x'
// CHECK-NOT: is no limit of a device
// CHECK-SAME: :17:{{.*}} error: unknown name 'zebra'
// CHECK-SAME: hint: known here: n, ITEMS, a\n
// CHECK-SAME: "has_errors":true
#define ITEMS 1
template <typename> struct line_twelve;
#pragma ktune probelm(n = 1) out(y[n]) restriction(m > 1) block(k)
__global__ void one(float *y, int n) { y[0] = n; }
#pragma ktune problem(n = 1) out(y[n]) restriction(blockDim.x > n)
__global__ void two(float *y, int n) { y[0] = n; }
#pragma ktune problem(n = 1) out(y[n]) value(a = 1) tune(ITEMS = 1, 2) restriction(zebra > 1)
__global__ void three(float *y, int n, int a) { y[0] = n + a * ITEMS; }
