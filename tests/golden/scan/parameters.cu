// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// The three carriers, and one from the command line.
// RUN: %scan %s -- -std=c++17 -DBLOCK=96 | %FileCheck %s --check-prefix=DEFINED
// CHECK: "parameters":[{"name":"BLOCK","values":[64,128],"carrier":"macro","original":128,"template_index":0,"fixed":null}
// CHECK-SAME: {"name":"VEC","values":[1,2,4],"carrier":"constant","original":2,"template_index":0,"fixed":null}
// CHECK-SAME: {"name":"W","values":[8,16],"carrier":"template","original":0,"template_index":1,"fixed":null}
// CHECK-SAME: "restrictions":["BLOCK % W == 0","d % VEC == 0"],"restriction_is_guard":[false,true]
// CHECK-SAME: "guards":["aligned(y, 16)"]
// CHECK-SAME: "edits":[{"range":[{{[0-9]+,[0-9]+}}],"kind":"kernel","index":0},{"range":[{{[0-9]+,[0-9]+}}],"kind":"parameter","index":2}
// CHECK-SAME: "kind":"callee","index":0
// CHECK-SAME: "callees":[{"name":"scaled"
// CHECK-SAME: "grid":["rows","(d + BLOCK * VEC - 1) / (BLOCK * VEC)"],"block":["BLOCK"]
// DEFINED: "name":"BLOCK","values":[64,128],"carrier":"macro","original":96
#ifndef BLOCK
#define BLOCK 128
#endif
#define CEIL(a, b) (((a) + (b)-1) / (b))
constexpr int VEC = 2;
static_assert(BLOCK % 32 == 0, "whole warps");
__device__ float scaled(float a) { return a * VEC; }
#pragma ktune problem(rows = 1; d = 64) out(y[rows * d]) tune(BLOCK = 64, 128) \
	tune(VEC = 1..4 step *2) tune(W = 8, 16) restriction(BLOCK % W == 0) \
	restriction(d % VEC == 0) guard(aligned(y, 16))
template <typename T, int W> __global__ void __launch_bounds__(BLOCK) k(T *y, int d)
{
	for (int i = W * threadIdx.x; i < d; i += BLOCK) y[i] = scaled(i);
}
void run(float *y, int rows, int hidden)
{
	dim3 grid(rows, CEIL(hidden, BLOCK * VEC));
	k<float, 8><<<grid, BLOCK>>>(y, hidden);
}
