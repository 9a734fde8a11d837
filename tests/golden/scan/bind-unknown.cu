// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: error: 'row' is no problem variable of 'k'
// CHECK-SAME: hint: did you mean 'rows'?
// CHECK-SAME: warning: the kernel launched here has no region
#pragma ktune problem(rows = 1) out(y[rows])
__global__ void k(float *y) { y[0] = 1; }
__global__ void other(float *y) { y[0] = 1; }
void run(float *y, int rows)
{
#pragma ktune bind(row = 2)
	k<<<rows, 32>>>(y);
#pragma ktune bind(rows = 2)
	other<<<rows, 32>>>(y);
}
