// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Arguments that are structures or vectors: what no clause gives, what cannot be built, what is written wrong.
struct P { const float *x; float *y; int rows, cols; };
struct Bits { int a : 3; int b; };
union Either { int i; float f; };
struct Table { virtual int of() const; int n; };
struct Other { char c; }; struct Derived : P, Other { int n; };
class Hidden { int n; public: float *y; };
struct Deep { long double w; int n; };
struct Nest { P *p; };
struct Strides { int strides[3]; };
struct Sizes { float *data; int sizes[25]; Strides tail[2]; int dims; };
// CHECK: "kernel":"missing",{{.*}}"decline":"arguments-unknown","decline_detail":"argument 'p' of 'missing' has members in no clause: 'p.x', 'p.rows', 'p.cols'; write in(p.x[COUNT]) value(p.rows = NUMBER) value(p.cols = NUMBER)"
#pragma ktune problem(n = 8) out(p.y[n])
__global__ void missing(P p, int n) { p.y[0] = p.x[0]; }
// Numbers of an array are one list.
// CHECK: "kernel":"lists",{{.*}}"decline_detail":"argument 't' of 'lists' has members in no clause: 't.data', 't.sizes', 't.tail[1].strides', 't.dims'; write inout(t.data[COUNT]) value(t.sizes = {NUMBER, …}) value(t.tail[1].strides = {NUMBER, …}) value(t.dims = NUMBER)"
#pragma ktune problem(n = 8) out(y[n]) value(t.tail[0].strides = {1})
__global__ void lists(Sizes t, float *y, int n) { y[0] = t.data[t.sizes[0]]; }
// CHECK: "kernel":"bits",{{.*}}"decline":"argument-type","decline_detail":"argument 'p' of 'bits' has type 'Bits', which is no number: 'p.a' is a bit-field; pass what the kernel reads of it as separate arguments"
#pragma ktune problem(n = 8) out(y[n]) value(p.b = 2) guard(p.a > 1)
__global__ void bits(Bits p, float *y, int n) { y[0] = p.a; }
// CHECK: "kernel":"either",{{.*}}"decline_detail":"argument 'p' of 'either' has type 'Either', which is no number: 'p' is a union;
#pragma ktune problem(n = 8) out(y[n])
__global__ void either(Either p, float *y, int n) { y[0] = p.i; }
// CHECK: "kernel":"table",{{.*}}"decline_detail":"argument 'p' of 'table' has type 'Table', which is no number: 'p' has virtual functions;
#pragma ktune problem(n = 8) out(y[n])
__global__ void table(Table p, float *y, int n) { y[0] = p.n; }
// CHECK: "kernel":"derived",{{.*}}"decline_detail":"argument 'p' of 'derived' has type 'Derived', which is no number: 'p' has several base classes with members;
#pragma ktune problem(n = 8) out(y[n])
__global__ void derived(Derived p, float *y, int n) { y[0] = p.n; }
// CHECK: "kernel":"deep",{{.*}}"decline_detail":"argument 'p' of 'deep' has type 'Deep', which is no number: 'p.w' has type 'long double', which is no number, pointer or structure of them;
#pragma ktune problem(n = 8) out(y[n])
__global__ void deep(Deep p, float *y, int n) { y[0] = p.n; }
// CHECK: "kernel":"nest",{{.*}}"decline":"argument-type","decline_detail":"argument 'p.p' of 'nest' has type 'P *': 'p.p.x' is a pointer, which no clause fills; pass a pointer to numbers, such as float *, or to vectors or structures of them"
#pragma ktune problem(n = 8) out(y[n])
__global__ void nest(Nest p, float *y, int n) { y[0] = n; }
// CHECK: "diagnostics":"
// CHECK-SAME: cu:[[#]]:58: error: 'whole' has no argument 'p.z'
// CHECK-SAME: cu:[[#]]:48: error: 'p' is a structure or a vector of 4 members{{.*}}hint: write value(p.x = NUMBER) for each of p.x, p.y, p.rows, p.cols, or value(p = {…})
// CHECK-SAME: cu:[[#]]:43: error: 'p' is a structure or a vector, and no pointer{{.*}}hint: name the pointers in it: p.x[…], p.y[…]
// CHECK-SAME: cu:[[#]]:43: error: 'd' is a structure or a vector, and no pointer{{.*}}hint: it holds no pointer: give its numbers with value(…)
// CHECK-SAME: cu:[[#]]:48: error: 'd' has 3 members, and the list has 2 values{{.*}}hint: write one value for each of d.x, d.y, d.z
// CHECK-SAME: cu:[[#]]:60: error: 'n' is no vector, array or structure of 'list'
// CHECK-SAME: cu:[[#]]:63: error: 'p.n' is private: a launch cannot read it{{.*}}hint: pass it as a separate argument
// CHECK-SAME: cu:[[#]]:46: error: 'd' is a structure or a vector, and has no single value
// CHECK-SAME: cu:[[#]]:48: error: 'p.x' points to const and cannot be written
#pragma ktune problem(n = 8) out(p.y[n]) value(p = 1) in(p.z[n])
__global__ void whole(P p, int n) { p.y[0] = p.x[0]; }
#pragma ktune problem(n = 8) out(y[n]) in(p[n])
__global__ void pointer(P p, float *y, int n) { y[0] = p.x[0]; }
#pragma ktune problem(n = 8) out(y[n]) in(d[n])
__global__ void numbers(int3 d, float *y, int n) { y[0] = d.x; }
#pragma ktune problem(m = 8) out(y[m]) value(  d = {4, 5}, n = {1})
__global__ void list(float *y, int3 d, int n) { y[0] = d.x; }
#pragma ktune problem(m = 8) out(p.y[m]) value(p.n = m) guard(p.n > 4)
__global__ void hidden(Hidden p) { p.y[0] = 1; }
#pragma ktune problem(n = 8) out(y[n]) guard(d > 4) value(d = {1, 2, 3})
__global__ void guarded(float *y, int3 d, int n) { y[0] = d.x; }
#pragma ktune problem(n = 8) out(p.y[n]) inout(p.x[n]) value(p.rows = n, p.cols = n)
__global__ void written(P p, int n) { p.y[0] = p.x[0]; }
void run(const P &p, const Bits &b, const Either &e, const Table &t, const Derived &d, const Deep &w, const Nest &q, const Sizes &s, float *y)
{
	missing<<<1, 1>>>(p, 8);
	lists<<<1, 1>>>(s, y, 8);
	bits<<<1, 1>>>(b, y, 8);
	either<<<1, 1>>>(e, y, 8);
	table<<<1, 1>>>(t, y, 8);
	derived<<<1, 1>>>(d, y, 8);
	deep<<<1, 1>>>(w, y, 8);
	nest<<<1, 1>>>(q, y, 8);
}
