// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Members of elements that a clause fills on their own are groups; what is written wrong.
struct point { int at[2]; float weight; };
struct lane { int first, count; point where; };
// CHECK: "kernel":"grouped",{{[^{]*}}"decline":null
// CHECK-SAME: "fill":{"kind":"default","a":0,"b":0,"members":[{"name":"first","kind":"range","a":0,"b":0,"upper":"n - 1"},{"name":"where.at","kind":"range","a":0,"b":3},{"name":"where.weight","kind":"zeros","a":0,"b":0}]}
// CHECK-SAME: "elements":[{"bytes":20,"align":4,"numbers":[{"name":"first","element":"i32","offset":0,"group":1},{"name":"count","element":"i32","offset":4},{"name":"where.at[0]","element":"i32","offset":8,"group":2},{"name":"where.at[1]","element":"i32","offset":12,"group":2},{"name":"where.weight","element":"f32","offset":16,"group":3}]},"f32","i32"]
#pragma ktune problem(n = 64) in(x[n]: {first = range(0, n - 1), where.at = range(0, 3), where.weight = zeros}) out(y[n])
__global__ void grouped(const lane *x, float *y, int n) { y[x[threadIdx.x].first] = 1; }
// CHECK-SAME: error: the elements of 'x' have no member 'last'
// CHECK-SAME: hint: members are named as C++ reads them
// CHECK-SAME: error: the elements of 'y' have no member 'x'
// CHECK-SAME: error: unknown name 'q'
#pragma ktune problem(n = 64) in(x[n]: {last = range(0, n - 1)}) out(y[n])
__global__ void unknown(const lane *x, float *y, int n) { y[x[threadIdx.x].first] = 1; }
#pragma ktune problem(n = 64) in(x[n]) inout(y[n]: {x = iota})
__global__ void number(const lane *x, float *y, int n) { y[x[threadIdx.x].first] = 1; }
#pragma ktune problem(n = 64) in(x[n]: {first = range(0, q)}) out(y[n])
__global__ void unnamed(const lane *x, float *y, int n) { y[x[threadIdx.x].first] = 1; }
void run(const lane *x, float *y, int n)
{
	grouped<<<1, 8>>>(x, y, n);
	unknown<<<1, 8>>>(x, y, n);
	number<<<1, 8>>>(x, y, n);
	unnamed<<<1, 8>>>(x, y, n);
}
