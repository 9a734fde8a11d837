// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Where a pragma stands, what it names, and why a parameter keeps its value.
// CHECK: "kernel":"shared",{{.*}}"decline":"mutable-global","decline_detail":"'total'; write in
// CHECK: "diagnostics":"
// CHECK-SAME: error: the pragma is above 'helper', which is no __global__ function
// CHECK-SAME: hint: write it above a __global__ function or above a launch
// CHECK-SAME: error: the pragma is above no kernel and no launch
// CHECK-SAME: hint: write it above a __global__ function or above a launch
// CHECK-SAME: error: the pragma is inside the declaration of 'late'
// CHECK-SAME: hint: write it above line [[#TEMPLATE:]], which begins with 'template'
// CHECK-SAME: error: the pragma is inside the declaration of 'later'
// CHECK-SAME: hint: write it above line [[#TEMPLATE+3]], where the declaration begins
// CHECK-SAME: error: 'n' is no pointer argument of 'pointers'
// CHECK-SAME: hint: known here: y, x
// CHECK-SAME: error: 'q' is a pointer, which has no integer value
// CHECK-SAME: note: 'A' keeps its value: it is used in 'twice', which has overloads
// CHECK-SAME: note: 'B' keeps its value: it is used in 'away', which is in another namespace
// CHECK-SAME: note: 'C' keeps its value: a use of it is qualified
// CHECK-SAME: "has_errors":true
#define A 1
#define B 1
namespace config { constexpr int C = 1; }
using config::C;
__device__ int total;
#pragma ktune problem(n = 1)
__device__ int helper(int n) { return n; }
#pragma ktune problem(n = 1)
int variable;
template <typename T>
#pragma ktune problem(n = 1) out(y[n])
__global__ void late(T *y, int n) { y[0] = n; }
__global__
#pragma ktune problem(n = 1) out(y[n])
void later(float *y, int n) { y[0] = n; }
#pragma ktune problem(n = 1) out(y[n]) guard(aligned(n, 16))
__global__ void pointers(float *y, const float *x, int n) { y[0] = n; }
#pragma ktune problem(n = 1) out(y[n]) guard(q > 1)
__global__ void number(float *y, const float *q, int n) { y[0] = n; }
__device__ int twice(int a) { return a * A; }
__device__ float twice(float a) { return a * A; }
#pragma ktune problem(n = 1) out(y[n]) tune(A = 1, 2)
__global__ void overloaded(float *y, int n) { y[0] = twice(n); }
namespace other { __device__ int away(int a) { return a * B; } }
#pragma ktune problem(n = 1) out(y[n]) tune(B = 1, 2)
__global__ void elsewhere(float *y, int n) { y[0] = other::away(n); }
#pragma ktune problem(n = 1) out(y[n]) tune(C = 1, 2)
__global__ void qualified(float *y, int n) { y[0] = config::C * n; }
#pragma ktune problem(n = 1) out(y[n])
__global__ void shared(float *y, int n) { y[0] = total += n; }
void run(float *y, int n)
{
	pointers<<<1, 1>>>(y, y, n);
	number<<<1, 1>>>(y, y, n);
	overloaded<<<1, 1>>>(y, n);
	elsewhere<<<1, 1>>>(y, n);
	qualified<<<1, 1>>>(y, n);
	shared<<<1, 1>>>(y, n);
}
