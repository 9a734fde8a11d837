// RUN: %ktcc-clang scan --file %s -- | %FileCheck %s
// Mistakes that only OpenCL knows.
// CHECK: "diagnostics":"{{.*}}mistakes.cl:8:{{[0-9]+}}: error: the pragma is above 'helper', which is no kernel function
// CHECK-SAME: error: 't' points to local memory, which is no buffer{{.*}}write smem(bytes) for its size
// CHECK-SAME: error: 'w' points to const and cannot be written
// CHECK-SAME: warning: no argument points to local memory: smem has no effect
// CHECK-SAME: "has_errors":true
#pragma ktune problem(n = 4)
void helper(global float *y) { y[0] = 1; }
#pragma ktune problem(n = 4) out(y[n]) scratch(t[n]) grid(n) block(1) smem(16)
kernel void local_buffer(global float *y, local float *t, int n) { y[get_global_id(0)] = n; }
#pragma ktune problem(n = 4) out(y[n], w[n]) grid(n) block(1)
kernel void constant_out(global float *y, constant float *w, int n) { y[get_global_id(0)] = w[n]; }
#pragma ktune problem(n = 4) out(y[n]) grid(n) block(1) smem(16)
kernel void needless(global float *y, int n) { y[get_global_id(0)] = n; }
