// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | grep -E '"decline_detail"|"name":"[a-z_.]+","(direction|argument)"|"text"|"grid":' | %FileCheck %s
// RUN: %ktcc scan %s -- -std=c++17 | %FileCheck --check-prefix=LAUNCHES %s
// A pragma above a single launch is the kernel's; one that cannot be stays one of launches.
struct settings { int rows; };
__global__ void add(const float *x, const float *y, float *z, int n) { z[blockIdx.x] = x[blockIdx.x] + y[blockIdx.x] + n; }
__global__ void axpy(float a, const float *x, float *y, float b, float c, int n) { y[blockIdx.x] = a * x[blockIdx.x] + b * n + c; }
__global__ void swapped(float *out, const float *in, int m, int n) { out[blockIdx.x] = in[blockIdx.x] + m - n; }
__global__ void twice(float *p, int n) { p[blockIdx.x] *= n; }
__global__ void fill(float *p, int n) { p[blockIdx.x] = n; }
// What is passed twice and written is checked as one, by a launch region.
// CHECK: "name":"in_place","kernel":"add",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
void in_place(float *values, float *sums, int rows)
{
	const int blocks = rows;
#pragma ktune problem(rows = 8) in(values[rows]) inout(sums[rows])
	add<<<blocks, 1>>>(values, sums, sums, rows);
}
// CHECK: "name":"axpy","kernel":"axpy",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
struct optimiser {
	void step(const float *g, float *w, int k)
	{
#pragma ktune problem(k = 8) in(g[k]) inout(w[k])
		axpy<<<k, 1>>>((float)-1.5, g, w, static_cast<float>(2), float{0.25f}, k);
	}
};
// The kernel's m is the host's n: the names would say something else.
// CHECK: "name":"crossed","kernel":"swapped",{{.*}}"line":[[@LINE+3]],"column":1,"decline":null
void crossed(float *y, const float *x, int n, int m)
{
#pragma ktune problem(n = 8; m = 2) in(x[n]) out(y[n])
	swapped<<<n, 1>>>(y, x, n, m);
}
// Two pragmas are of launches, each its own.
// CHECK: "name":"two","kernel":"twice",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
// CHECK: "name":"two","kernel":"twice",{{.*}}"line":[[@LINE+5]],"column":1,"decline":null
void two(float *p, float *q, int a)
{
#pragma ktune problem(a = 8) inout(p[a])
	twice<<<a, 1>>>(p, a);
#pragma ktune problem(a = 8) inout(q[a])
	twice<<<a, 1>>>(q, a);
}
// A number of launches that no clause gives is what the host passes.
// CHECK: "name":"both","kernel":"fill",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
void both(float *p, int d)
{
	const int width = 2 * d, blocks = d;
#pragma ktune problem(d = 8) inout(p[d])
	{
		fill<<<blocks, 1>>>(p, width);
		twice<<<blocks, 1>>>(p, 3);
	}
}
// Its geometry and values are those of that launch, whatever others there are before it.
// CHECK: "name":"later","kernel":"moved",{{.*}}"line":[[@LINE+6]],"column":1,"decline":null
// CHECK: "grid":["n"],"block":["64"]
__global__ void moved(float *p, float by, int n) { p[blockIdx.x] += by * n; }
void before(float *p, int n) { moved<<<1, 32>>>(p, 2.0f, n); }
void later(float *p, int n)
{
#pragma ktune name(later) problem(n = 8) inout(p[n])
	moved<<<n, 64>>>(p, 0.5f, n);
}
// By the kernel's names, as if the pragma were above it.
// CHECK: "name":"second","kernel":"second",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
__global__ void second(const int *a, int *o, int n) { o[blockIdx.x] = a[blockIdx.x] + n; }
void by_kernel(int *p, int *q, int size)
{
#pragma ktune problem(n = 100, 5000) in(a[n]) out(o[n])
	second<<<size, 64>>>(p, q, size);
}
// A parameter that is spelled as an array, and clauses whose names are not written again.
// CHECK: "name":"arrays","kernel":"by_array",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
__global__ void by_array(float y[], float x[], int m) { x[blockIdx.x] = y[blockIdx.x] + m; }
void arrays(float *x, float *y, int n)
{
#pragma ktune problem(n = 512) in(x[n]) out(y[n])
	by_array<<<n, 64>>>(x, y, n);
}
// CHECK: "name":"guarded","kernel":"copy",{{.*}}"line":[[@LINE+4]],"column":1,"decline":null
__global__ void copy(const float *y, float *x, int n) { x[blockIdx.x] = y[blockIdx.x] + n; }
void guarded(const float *x, float *y, int n)
{
#pragma ktune problem(n = 512) in(x[n]) out(y[n]) guard(aligned(x, 64))
	copy<<<n, 64>>>(x, y, n);
}
// CHECK: "name":"strided","kernel":"crossing",{{.*}}"line":[[@LINE+5]],"column":1,"decline":null
__global__ void crossing(const float *x, float *y, int d, int w) { y[blockIdx.x] = x[blockIdx.x * w + d]; }
void strided(const float *x, float *y, int rows)
{
	const int d = 64;
#pragma ktune problem(rows = 8) in(x[rows * d]) out(y[rows * d])
	crossing<<<rows, 64>>>(x, y, rows, d);
}
// The definition's names count. What the kernel gets as n is size, at each launch.
// CHECK: "name":"declared","kernel":"declared",{{.*}}"line":[[@LINE+7]],"column":1,"decline":null
// CHECK: "name":"from","argument":1,"direction":"in"
__global__ void declared(float *from, float *to, int n);
__global__ void declared(float *to, float *from, int n) { to[blockIdx.x] = from[blockIdx.x] + n; }
void elsewhere(float *x, float *y, int size, int other) { declared<<<other, 64>>>(x, y, other); }
void here(float *x, float *y, int size)
{
#pragma ktune problem(size = 512) in(y[size]) out(x[size]) value(n = size)
	declared<<<size, 64>>>(x, y, size);
}
// Where the launch cannot be read, others do not tell its geometry.
// CHECK: "name":"unread","kernel":"unread",{{.*}}"decline":"geometry-unknown","decline_detail":"line [[@LINE+8]]: grid 'blocks(n)'
int blocks(int);
__global__ void unread(float *p, int n) { p[blockIdx.x] = n; }
void readable(float *p) { unread<<<4, 64>>>(p, 256); }
void host(float *p, int n)
{
#pragma ktune problem(n = 512) out(p[n])
	// The launch.
	unread<<<blocks(n), 64>>>(p, n);
}
// Elsewhere a name of the clauses is another variable, which has no relation to what the kernel gets.
// CHECK: "name":"named","kernel":"named",{{.*}}"line":[[@LINE+8]],"column":1,"decline":null
// LAUNCHES: named (kernel named)
// LAUNCHES: launch at line [[@LINE+3]], left unmodified: binding-unknown
// LAUNCHES-NEXT: launch at line [[@LINE+6]]{{$}}
__global__ void named(const float *x, float *y, int n) { y[blockIdx.x] = x[blockIdx.x] + n; }
void of_another(const float *x, float *y, int rows, int columns) { named<<<64, 64>>>(x, y, rows * columns); }
void of_named(const float *x, float *y, int rows)
{
#pragma ktune problem(rows = 512) in(x[rows * 4]) out(y[rows * 4])
	named<<<64, 64>>>(x, y, rows * 4);
}
// At other launches a variant runs where the kernel gets the whole numbers that the clauses are about.
// CHECK: "name":"square","kernel":"square",{{.*}}"line":[[@LINE+8]],"column":1,"decline":null
// CHECK: "guards":["n == rows","stride == 2","flag == 1"]
// LAUNCHES: square (kernel square)
// LAUNCHES: launch at line [[@LINE+6]]{{$}}
// LAUNCHES-NEXT: launch at line [[@LINE+7]]{{$}}
__global__ void square(const float *x, float *y, int m, int n, int stride, float by, bool flag) { y[blockIdx.x] = x[m * n * stride - 1] * by + flag; }
void of_square(float *x, float *y, int rows)
{
#pragma ktune problem(rows = 64) in(x[2 * rows * rows]) out(y[rows * rows])
	square<<<64, 64>>>(x, y, rows, rows, 2, 2, true);
}
void of_any(float *x, float *y, int a, int b) { square<<<64, 64>>>(x, y, a, b, 2, 0.5f, false); }
