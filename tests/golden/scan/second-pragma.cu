// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Two pragmas above the same kernel or launch: half of what they say would be taken for the whole. A mistake in a
// pragma above a launch keeps that launch alone as it is.
// CHECK: "line":17,"column":1,"decline":"pragma-error"
// CHECK-NOT: "line":18,
// CHECK: "line":20,"column":1,"decline":null
// CHECK: "launches":[{"file":"{{[^"]*}}","line":26,"column":2,"decline":null
// CHECK: {"file":"{{[^"]*}}","line":28,"column":2,"decline":"pragma-error"
// CHECK: {"file":"{{[^"]*}}","line":30,"column":2,"decline":"pragma-error"
// CHECK: "line":35,"column":1,"decline":"pragma-error"
// CHECK: "diagnostics":"
// CHECK-SAME: second-pragma.cu:18:1: error: a second pragma above the same code
// CHECK-SAME: hint: the first one is in line 17: write all clauses into one, or instances(…) into each
// CHECK-SAME: error: 'n' is bound twice
// CHECK-SAME: second-pragma.cu:36:1: error: a second pragma above the same code
// CHECK-SAME: error: 'm' is no problem variable of 'once'
#pragma ktune problem(n = 1) out(y[n])
#pragma ktune problem(n = 2) out(y[n])
__global__ void twice(float *y, int n) { y[0] = n; }
#pragma ktune problem(n = 1) out(y[n])
__global__ void once(float *y, int n) { y[0] = n; }

void run(float *y, int n, int count)
{
	twice<<<1, 1>>>(y, n);
	once<<<1, 1>>>(y, n);
#pragma ktune bind(n = count, n = 1)
	once<<<1, 1>>>(y, count);
#pragma ktune bind(m = count)
	once<<<1, 1>>>(y, n);
}
__global__ void plain(float *y, int n) { y[0] = n; }
void block(float *y, int n)
{
#pragma ktune problem(n = 1) out(y[n])
#pragma ktune problem(n = 2) out(y[n])
	plain<<<1, 1>>>(y, n);
}
