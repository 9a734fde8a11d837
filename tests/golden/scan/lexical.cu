// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A pragma in a comment, a string or an inactive block is none; continuations are part of one.
// CHECK: "regions":[{"name":"real"
// CHECK-NOT: "name":"no
// CHECK: "has_errors":false
/*
#pragma ktune name(no1)
*/
const char *text = R"(
#pragma ktune name(no2)
)";
#if 0
#pragma ktune name(no3)
__global__ void k3() {}
#endif
#define K_UNUSED "\
#pragma ktune name(no4)"
#pragma ktune /* a comment */ problem(n = 1) \
	name(real) /* another */ \
	out(z[n])
__global__ void k(float *z, int n) { z[0] = n; }
void run(float *z, int n) { k<<<1, 1>>>(z, n); }
