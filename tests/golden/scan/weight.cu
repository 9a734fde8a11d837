// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// What each problem counts; without the clause nothing is there, and no key is another one.
// CHECK: "kernel":"weighs"
// CHECK-SAME: "decline":null
// CHECK-SAME: "weight":"n == 64 ? 10 : m"
// CHECK: "kernel":"plain"
// CHECK-SAME: "weight":null
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:53: error: every problem has the weight 0
// CHECK-SAME: cu:[[#]]:53: error: unknown name 'k'
#pragma ktune problem(n = 64, 128; m = 2) out(y[n]) weight(n == 64 ? 10 : m)
__global__ void weighs(float *y, int n, int m) { y[threadIdx.x] = n; }
#pragma ktune problem(n = 64, 128; m = 2) out(y[n])
__global__ void plain(float *y, int n, int m) { y[threadIdx.x] = n; }
#pragma ktune problem(n = 64, 128) out(y[n]) weight(n < 64)
__global__ void nothing(float *y, int n) { y[threadIdx.x] = n; }
#pragma ktune problem(n = 64, 128) out(y[n]) weight(k)
__global__ void unknown(float *y, int n) { y[threadIdx.x] = n; }
void run(float *y, int n, int m)
{
	weighs<<<n / 32, 32>>>(y, n, m);
	plain<<<n / 32, 32>>>(y, n, m);
	nothing<<<n / 32, 32>>>(y, n);
	unknown<<<n / 32, 32>>>(y, n);
}
