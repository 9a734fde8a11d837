// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A variable comes from bind, from the argument of its name, or from a variable in scope.
// CHECK: "launches":[{"file":"{{[^"]*}}","line":15,
// CHECK-SAME: "bindings":[{"argument":-1,"text":"rows"},{"argument":1,"text":null}]
// CHECK-SAME: {"file":"{{[^"]*}}","line":18,
// CHECK-SAME: "bindings":[{"argument":-1,"text":"count / 2"},{"argument":1,"text":null}]
// CHECK-SAME: {"file":"{{[^"]*}}","line":19,{{[^{]*}}"decline":"binding-unknown"
#pragma ktune problem(rows = 1; d = 8) out(y[rows * d])
__global__ void k(float *y, int d) { y[blockIdx.x * d] = 1; }
void first(float *y, int d, int rows)
{
	float *rows_of_y = y;
	(void)rows_of_y;
	for (int i = 0; i < 2; i++)
		k<<<rows, 32>>>(y, d); }
void second(float *y, int d, int count) {
#pragma ktune bind(rows = count / 2)
	k<<<count / 2, 32>>>(y, d);
	k<<<count, 32>>>(y, d);
}
