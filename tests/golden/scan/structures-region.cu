// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A launch region has no arguments that are structures: that is the reason, and no member is said to be missing.
struct P { const float *x; int n; };
__global__ void one(float *t, P p) { if (threadIdx.x < p.n) t[threadIdx.x] = p.x[threadIdx.x]; }
__global__ void two(float *y, const float *t) { y[threadIdx.x] = t[threadIdx.x]; }
// CHECK: "name":"run",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'run' has type 'P', which is no number: the arguments of a launch region are numbers and pointers; pass what the kernel reads of it as separate arguments"
// CHECK: "diagnostics":"","has_errors":false
void run(float *y, float *t, P p, int n)
{
#pragma ktune problem(n = 64) in(p.x[p.n]) out(y[n]) scratch(t[n]) value(p.n = n)
	{
		one<<<1, 64>>>(t, p);
		two<<<1, 64>>>(y, t);
	}
}
