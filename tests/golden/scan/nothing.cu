// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "regions":[]
// CHECK-SAME: error: pragma stands above nothing that can be tuned
// CHECK-SAME: hint: 'f' is not a __global__ function
// CHECK-SAME: error: pragma stands above nothing that can be tuned
// CHECK-SAME: hint: write it above a __global__ function or above a launch
// CHECK-SAME: "has_errors":true
#pragma ktune problem(n = 1)
int f(int n) { return n; }
#pragma ktune problem(n = 1)
