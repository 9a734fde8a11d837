// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// RUN: sed 's|/\* changed \*/|+ 0|' %s > %t.cu && %scan %s -- -std=c++17 | grep -o '"clauses":"[^"]*"' > %t.one
// RUN: %scan %t.cu -- -std=c++17 | grep -o '"clauses":"[^"]*"' > %t.two && ! diff -q %t.one %t.two
// RUN: sed 's|/\* changed \*/||' %s > %t.cu && %scan %t.cu -- -std=c++17 | grep -o '"clauses":"[^"]*"' | diff %t.one -
// A host function by its name: what its parameters stand for, and what a slice for it leaves out.
// CHECK: "name":"twice",{{.*}}"line":38,"column":1,"decline":null
// CHECK-SAME: "reference":{"function":"ops::twice_reference","parameters":[{"buffer":1,"argument":-1,"variable":-1},{"buffer":0,"argument":-1,"variable":-1},{"buffer":-1,"argument":-1,"variable":0},{"buffer":-1,"argument":2,"variable":-1}],"drops":
// What is wrong with one.
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:25: error: expected the name of a host function
// CHECK-SAME: cu:[[#]]:25: error: no function 'nobody' in this file
// CHECK-SAME: cu:[[#]]:25: error: 'twice' does not run on the host
// CHECK-SAME: cu:[[#]]:25: error: 'pattern' is a template
// CHECK-SAME: cu:[[#]]:25: error: 'several' is the name of several functions
// CHECK-SAME: cu:[[#]]:25: error: 'z' is no buffer, argument or problem variable of 'k4'
// CHECK-SAME: hint: write void unknown(const double *x, double *y)
// CHECK-SAME: cu:[[#]]:25: error: 'x' is 'double *', not 'const double *'
// CHECK-SAME: cu:[[#]]:25: error: 'y' is 'float *', not 'double *'
// CHECK-SAME: cu:[[#]]:25: error: 'forgets' does not take the output 'y'
// CHECK-SAME: "has_errors":true
namespace ops
{
static double helper(double v) { return 2 * v /* changed */; }
static void twice_reference(double *__restrict y, const double *x, long rows, int d)
{
	for (long i = 0; i < rows * d; i++)
		y[i] = helper(x[i]);
}
}
void unrelated() {}
template <typename T> void pattern(T *y) {}
void several(double *y) {}
void several(double *y, const double *x) {}
void unknown(double *y, const double *z) {}
void writes(double *y, double *x) {}
void narrow(float *y) {}
void forgets(const double *x) {}
#pragma ktune problem(rows = 4; d = 256) in(x[rows * d]) out(y[rows * d]) tune(BLOCK = 64, 128) grid(rows) block(BLOCK) \
    reference(twice_reference)
#define BLOCK 64
__global__ void twice(float *y, const float *x, int d) { y[blockIdx.x * d + threadIdx.x] = 2 * x[blockIdx.x * d + threadIdx.x] + 0 * BLOCK; }
#pragma ktune reference(nobody) in(x[1]) out(y[1])
__global__ void k1(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(twice) in(x[1]) out(y[1])
__global__ void k2(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(pattern) in(x[1]) out(y[1])
__global__ void k3(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(several) in(x[1]) out(y[1])
__global__ void k3b(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(unknown) in(x[1]) out(y[1])
__global__ void k4(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(writes) in(x[1]) out(y[1])
__global__ void k5(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(narrow) in(x[1]) out(y[1])
__global__ void k6(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(forgets) in(x[1]) out(y[1])
__global__ void k7(float *y, const float *x) { y[0] = x[0]; }
#pragma ktune reference(1) in(x[1]) out(y[1])
__global__ void k8(float *y, const float *x) { y[0] = x[0]; }
void run(float *y, const float *x, int rows) { twice<<<4, 64>>>(y, x, 256); }
