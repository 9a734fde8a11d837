// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A reason says what to write.
// CHECK: "decline":"binding-unknown"
// CHECK-SAME: "decline_detail":"line 14: 'rows' is no argument and no variable there; write '#pragma ktune bind(rows = EXPRESSION)' above the launch"
// CHECK: "decline":"no-instance"
// CHECK-SAME: "decline_detail":"no launch names template arguments of 't'; write 'template __global__ void t<…>(…);' with those that are launched"
#pragma ktune problem(rows = 64; n = 64) inout(y[rows * n])
__global__ void k(float *y, int n) { y[blockIdx.x * n + threadIdx.x] = 1; }
#pragma ktune problem(n = 64) inout(y[n])
template <typename T> __global__ void t(T *y, int n) { y[threadIdx.x] = n; }
template <typename T> void elsewhere(T *y, int n) { t<T><<<1, 32>>>(y, n); }
void run(float *y, int count, int n)
{
	k<<<count, 64>>>(y, n);
}
