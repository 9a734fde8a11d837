// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Extents as a list in braces, which nvcc takes and libclang does not, and an enumeration as an argument.
// CHECK: "decline":null
// CHECK-SAME: "elements":["f32","i32","u32"]
// CHECK-SAME: "grid":["(n + 255) / 256"],"block":["32","8","1"],"shared_bytes":"0"
// CHECK-SAME: "grid":["n"],"block":["128"],"shared_bytes":null
#include <cstddef>
enum activation { relu, tanh_like };
#pragma ktune problem(n = 8) out(y[n]) value(a = 1)
__global__ void k(float *y, int n, activation a) { y[0] = n + a; }
void run(float *y, int n, activation a, cudaStream_t s)
{
	const int blocks = (n + 255) / 256;
	k<<<blocks, {32, 8, 1}, 0, s>>>(y, n, a);
	k<<<{(unsigned)n}, 128>>>(y, n, activation{relu});
}
