// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A kernel template that is defined or launched in another source, and kernels of macros: the reason, with its line.
#define KERNEL(name, T) __global__ void name(T *y, int n) { y[threadIdx.x] = n; }
#define NAMED(name) __global__ void name
// CHECK: "kernel":"declared",{{[^{]*}}"decline":"template-elsewhere","decline_detail":"'declared' has no body here"
#pragma ktune problem(n = 64) out(y[n])
template <typename T> __global__ void declared(T *y, int n);
// CHECK-SAME: "kernel":"made",{{[^{]*}}"decline":"template-elsewhere","decline_detail":"'made' has no launch here"
#pragma ktune problem(n = 64) out(y[n]) grid(1) block(64)
template <typename T> __global__ void made(T *y, int n) { y[threadIdx.x] = n; }
template __global__ void made<float>(float *y, int n);
// CHECK-SAME: "kernel":"whole",{{[^{]*}}"decline":"kernel-in-macro","decline_detail":"line [[#@LINE+2]]: 'KERNEL' makes 'whole'"
#pragma ktune problem(n = 64) out(y[n])
KERNEL(whole, float)
// CHECK-SAME: "kernel":"named",{{[^{]*}}"decline":"kernel-in-macro","decline_detail":"line [[#@LINE+2]]: 'NAMED' makes 'named'"
#pragma ktune problem(n = 64) out(y[n])
NAMED(named)(float *y, int n) { y[threadIdx.x] = n; }
void run(float *y, int n)
{
	declared<float><<<1, 64>>>(y, n);
	whole<<<1, 64>>>(y, n);
	named<<<1, 64>>>(y, n);
}
