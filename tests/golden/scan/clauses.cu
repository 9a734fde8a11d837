// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Every clause that becomes part of the record.
// CHECK: "name":"first","kernel":"k"
// CHECK-SAME: "problems":[{"rows":16,"d":4096},{"rows":64,"d":8192}]
// CHECK-SAME: "values":[{"name":"eps","argument":4,"text":"1e-6f","number":{{[^,]*}},"integral":false
// CHECK-SAME: "generation":"list"
// CHECK-SAME: "name":"x","argument":0,"direction":"in","scratch":false,"count":"rows * d","fill":{"kind":"uniform","a":-1,"b":1},"absolute":0.001,"relative":0.01
// CHECK-SAME: "name":"y","argument":1,"direction":"inout"
// CHECK-SAME: "absolute":0.5,"relative":0.01
// CHECK-SAME: "name":"t","argument":2,"direction":"scratch","scratch":true
// CHECK-SAME: "grid":["rows","2"],"block":["64","1","1"],"shared_bytes":"4 * d"
// CHECK-SAME: "bytes":"8 * rows * d","flops":"rows * d"
// CHECK-SAME: "budget_seconds":30,"budget_trials":50
#pragma ktune name(first) problem((rows, d) = (16, 4096), (64, 8192)) in(x[rows * d] : uniform(-1, 1)) \
	inout(y[rows * d]) scratch(t[rows]) value(eps = 1e-6f) grid(rows, 2) block(64, 1, 1) smem(4 * d) \
	auto(vectorize, unroll) tolerance(abs = 1e-3, rel = 1e-2) tolerance(y: abs = 0.5) specialize(d) \
	bytes(8 * rows * d) flops(rows * d) budget(seconds = 30, trials = 50) bind(rows = 3)
__global__ void k(const float *x, float *y, float *t, int d, float eps) { y[0] = x[0] * t[0] * d * eps; }
void run(float *x, int d) { k<<<3, 64>>>(x, x, x, d, 1e-6f); }
