// RUN: %ktcc-clang scan --file %s -- | %FileCheck %s
// A macro, a constant of type int, one of another type; a macro used at file scope keeps its value; callees are copied.
// CHECK: "parameters":[{"name":"WIDTH","values":[1,4],"carrier":"macro","original":1,"template_index":0,"fixed":null}
// CHECK-SAME: {"name":"TILE","values":[4,8],"carrier":"constant","original":4,"template_index":0,"fixed":null}
// CHECK-SAME: {"name":"WIDE","values":[1,2],"carrier":"constant","original":2,"template_index":0,"fixed":"parameter-escapes"}
// CHECK-SAME: {"name":"OUTER","values":[1,2],"carrier":"macro","original":1,"template_index":0,"fixed":"parameter-escapes"}
// CHECK-SAME: "callees":[{"name":"twice"
// CHECK-SAME: "diagnostics":"{{.*}}'WIDE' keeps its value: it is a constant of another type than int
// CHECK-SAME: 'OUTER' keeps its value: it is also used outside the kernel, in line 19
#define JOIN(a, b) a##b
#define JOINED(a, b) JOIN(a, b)
#define load1(p) (*(p))
#define load4(p) dot(vload4(0, p), (float4)(1.0f))
#define LOAD(p) JOINED(load, WIDTH)(p)
#define WIDTH 1
#define OUTER 1
constant int TILE = 4;
constant long WIDE = 2;
#if OUTER == 1
typedef float piece;
#endif
float twice(float x) { return x * 2 * WIDTH; }
#pragma ktune problem(n = 64) in(x[n]) out(y[n]) global(n / WIDTH) local(1) \
	tune(WIDTH = 1, 4; TILE = 4, 8; WIDE = 1, 2; OUTER = 1, 2)
kernel void sum(global piece *y, global const float *x, int n)
{
	const int i = get_global_id(0) * WIDTH;
	y[i] = twice(LOAD(x + i)) * TILE + WIDE;
}
