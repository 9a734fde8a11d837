// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A parameter that the host or an output's extent also uses keeps its value.
// CHECK: "name":"BLOCK",{{[^}]*}}"fixed":"parameter-escapes"
// CHECK-SAME: "name":"PARTS",{{[^}]*}}"fixed":"parameter-escapes"
// CHECK-SAME: "name":"FREE",{{[^}]*}}"fixed":null
// CHECK-SAME: "diagnostics":"{{.*}}escapes.cu:[[#]]:[[#]]: note: 'BLOCK' keeps its value: it is also used outside the kernel, in line 18
// CHECK-SAME: 'PARTS' keeps its value: it is part of the extent of 'p'
// CHECK-SAME: "has_errors":false
#define BLOCK 128
#define PARTS 4
#define FREE 2
#pragma ktune problem(n = 64) out(p[PARTS * n]) tune(BLOCK = 64, 128) tune(PARTS = 2, 4) tune(FREE = 1, 2)
__global__ void k(float *p, int n)
{
	for (int i = 0; i < PARTS * FREE; i++) p[i] = BLOCK;
}
int run(float *p, int n) { k<<<1, 32>>>(p, n);
	return n / BLOCK; }
