// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "regions":[]
// CHECK-SAME: error: the pragma is above 'f', which is no __global__ function
// CHECK-SAME: hint: write it above a __global__ function or above a launch
// CHECK-SAME: error: the pragma is above no kernel and no launch
// CHECK-SAME: hint: write it above a __global__ function or above a launch
// CHECK-SAME: "has_errors":true
#pragma ktune problem(n = 1)
int f(int n) { return n; }
#pragma ktune problem(n = 1)
