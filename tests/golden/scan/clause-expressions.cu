// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Values, bounds of fills and extents as expressions: over problem variables, limits of the device and values before
// them. The record keeps their text; what an expression may not name is said at its place.
// CHECK: "name":"k"
// CHECK-SAME: {"name":"width","argument":5,"text":"2 * 32","number":64,"integral":true,"integer":64}
// CHECK-SAME: {"name":"ld","argument":4,"text":"max(width, device.warp_size)","number":0,"integral":true,"integer":0,"expression":"max(width, device.warp_size)"}
// CHECK-SAME: {"name":"table","argument":1,"direction":"in","scratch":false,"count":"vocab * ld","fill":{"kind":"uniform","a":-0.5,"b":0,"upper":"2 * width"}
// CHECK-SAME: {"name":"index","argument":2,"direction":"in","scratch":false,"count":"n","fill":{"kind":"range","a":0,"b":0,"upper":"vocab - 1"}
// CHECK-SAME: "diagnostics":"
// CHECK-SAME: cu:[[#]]:54: error: 'ld' gets its value later{{.*}}hint: write ld = … before it
// CHECK-SAME: cu:[[#]]:74: error: the lower bound is above the upper one for n = 8, vocab = 0: 0, -1
// CHECK-SAME: hint: write bounds that fit each problem, or take that problem out
// CHECK-SAME: cu:[[#]]:56: error: unknown name 'vocb'{{.*}}hint: did you mean 'vocab'?
// CHECK-SAME: cu:[[#]]:51: error: unknown name 'widht'{{.*}}hint: did you mean 'width'?
// CHECK-SAME: cu:[[#]]:45: error: 'y' is a pointer, which has no integer value
#pragma ktune problem(n = 8; vocab = 4, 9) value(width = 2 * 32, ld = max(width, device.warp_size)) \
	in(table[vocab * ld]: uniform(-0.5f, 2 * width), index[n]: range(0, vocab - 1)) out(y[n]) bind(vocab = v)
__global__ void k(float *y, const float *table, const int *index, int n, int ld, int width) { y[0] = table[index[n - 1] * ld + width]; }
#pragma ktune problem(n = 8; vocab = 4) value(ld = 2 * vocb, width = 1) out(y[n])
__global__ void k1(float *y, int n, int ld, int width) { y[0] = n; }
#pragma ktune problem(n = 8) inout(y[n]: range(0, widht)) value(ld = 2)
__global__ void k2(float *y, int n, int ld, int width) { y[0] = n; }
#pragma ktune problem(n = 8) out(y[n]) value(width = ld + 1, ld = n)
__global__ void k3(float *y, int n, int ld, int width) { y[0] = n; }
#pragma ktune problem(n = 8; vocab = 4, 0) inout(y[n]) in(x[n]: range(0, vocab - 1)) bind(vocab = v)
__global__ void k4(float *y, const int *x, int n) { y[0] = n; }
#pragma ktune problem(n = 8) value(ld = 2 * y, width = n) bind(n = v)
__global__ void k5(float *y, int ld, int width) { y[0] = ld; }
void run(float *y, const float *t, const int *i, int n, int v) { k<<<1, 32>>>(y, t, i, n, 64, 64); }
