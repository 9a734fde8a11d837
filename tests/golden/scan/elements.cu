// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Buffers of vectors and structures: the places of their numbers, on each instance its own; what is none of them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
enum class Kind : unsigned char { first, second };
struct Block { half scale; signed char values[4]; Kind kind; };
template <typename T> struct Pair { T first, second; };
struct Holder { float *data; int n; };
union Either { int i; float f; };
struct Given { const float4 *x; Block *y; int n; };
struct __attribute__((packed)) Packed { char c; float f; };
class Later;
struct Many { Pair<double> pairs[200]; };
struct Turns { Pair<Pair<int>> a; double b; Pair<float> c; };
struct Long { Turns turns[6]; };
// CHECK: "kernel":"vectors",{{[^{]*}}"decline":null
// CHECK-SAME: "elements":[{"bytes":16,"align":16,"numbers":[{"name":"x","element":"f32","offset":0},{"name":"y","element":"f32","offset":4},{"name":"z","element":"f32","offset":8},{"name":"w","element":"f32","offset":12}]},{"bytes":12,"align":4,"numbers":[{"name":"x","element":"f32","offset":0},{"name":"y","element":"f32","offset":4},{"name":"z","element":"f32","offset":8}]},{"bytes":4,"align":4,"numbers":[{"name":"x","element":"f16","offset":0},{"name":"y","element":"f16","offset":2}]},{"bytes":4,"align":4,"numbers":[{"name":"x","element":"bf16","offset":0},{"name":"y","element":"bf16","offset":2}]},{"bytes":4,"align":4,"numbers":[{"name":"x","element":"u8","offset":0},{"name":"y","element":"u8","offset":1},{"name":"z","element":"u8","offset":2},{"name":"w","element":"u8","offset":3}]},{"bytes":16,"align":16,"numbers":[{"name":"x","element":"i64","offset":0},{"name":"y","element":"i64","offset":8}]},{"bytes":16,"align":16,"numbers":[{"name":"x","element":"f64","offset":0},{"name":"y","element":"f64","offset":8}]}]
#pragma ktune problem(n = 8) in(b[n], c[n], d[n], e[n], f[n], g[n]) out(a[n])
__global__ void vectors(float4 *a, const float3 *b, const half2 *c, const __nv_bfloat162 *d, const uchar4 *e, const long2 *f, const double2 *g) { a[threadIdx.x].x = b[threadIdx.x].x; }
// CHECK: "kernel":"structures",{{[^{]*}}"decline":null
// CHECK-SAME: "elements":[{"bytes":8,"align":2,"numbers":[{"name":"scale","element":"f16","offset":0},{"name":"values[0]","element":"i8","offset":2},{"name":"values[1]","element":"i8","offset":3},{"name":"values[2]","element":"i8","offset":4},{"name":"values[3]","element":"i8","offset":5},{"name":"kind","element":"u8","offset":6}]},"none",{"bytes":16,"align":16,"numbers":[{"name":"x","element":"f32","offset":0},{{[^]]*}}]},{"bytes":8,"align":2,{{.*}}"name":"kind","element":"u8","offset":6}]},"i32"]
#pragma ktune problem(n = 8) inout(a[n]) in(p.x[n]) out(p.y[n]) value(p.n = n)
__global__ void structures(Block *a, Given p) { p.y[threadIdx.x] = a[threadIdx.x]; }
// CHECK: "kernel":"instances",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"instances<float2>",{{[^{]*}}"elements":[{"bytes":16,"align":8,"numbers":[{"name":"first.x","element":"f32","offset":0},{"name":"first.y","element":"f32","offset":4},{"name":"second.x",{{[^]]*}}]},{"bytes":8,{{[^]]*}}]}]
// CHECK-SAME: "name":"instances<double>",{{[^{]*}}"elements":[{"bytes":16,"align":8,"numbers":[{"name":"first","element":"f64","offset":0},{"name":"second","element":"f64","offset":8}]},"f64"]
#pragma ktune problem(n = 8) in(x[n]) out(y[n])
template <typename T> __global__ void instances(Pair<T> *y, const T *x) { y[threadIdx.x].first = x[threadIdx.x]; }
// CHECK: "kernel":"holder",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'holder' has type 'Holder *': 'p.data' is a pointer, which no clause fills; pass a pointer to numbers, such as float *, or to vectors or structures of them"
#pragma ktune problem(n = 8) inout(p[n])
__global__ void holder(Holder *p) { p[threadIdx.x].n = 1; }
// CHECK: "kernel":"either",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'either' has type 'Either *': 'p' is a union;
#pragma ktune problem(n = 8) inout(p[n])
__global__ void either(Either *p) { p[threadIdx.x].i = 1; }
// CHECK: "kernel":"packed",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'packed' has type 'Packed *': 'p': 'f' is not aligned to its 4 bytes;
#pragma ktune problem(n = 8) inout(p[n])
__global__ void packed(Packed *p) { p[threadIdx.x].f = 1; }
// CHECK: "kernel":"later",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'later' has type 'Later *': 'p' has a type of unknown size;
#pragma ktune problem(n = 8) inout(p[n])
__global__ void later(Later *p) {}
// CHECK: "kernel":"many",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'many' has type 'Many *': 'p.pairs[128].first' is one of more than 256 members;
#pragma ktune problem(n = 8) inout(p[n])
__global__ void many(Many *p) { p[threadIdx.x].pairs[0].first = 1; }
// CHECK: "kernel":"turns",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'turns' has type 'Long *': 'p': the type or fill of its numbers changes 17 times, at most 15 are possible;
#pragma ktune problem(n = 8) inout(p[n])
__global__ void turns(Long *p) { p[threadIdx.x].turns[0].b = 1; }
// CHECK: "kernel":"table",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'table' has type 'float **': 'p' is a pointer, which no clause fills;
#pragma ktune problem(n = 8) inout(p[n])
__global__ void table(float **p) { p[threadIdx.x][0] = 1; }
namespace inner { struct mark { short at, kind; }; }
// Instances that are known as text alone: the toolkit's types and the project's.
// CHECK: "kernel":"texted",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"texted<float4>",{{[^{]*}}"elements":[{"bytes":16,
// CHECK-SAME: "name":"texted<half2>",{{[^{]*}}"elements":[{"bytes":4,
// CHECK-SAME: "name":"texted<inner::mark>",{{[^{]*}}"elements":[{"bytes":4,"align":2,"numbers":[{"name":"at","element":"i16","offset":0},
#pragma ktune problem(n = 8) in(x[n]) out(y[n])
template <typename T> __global__ void texted(T *y, const T *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#define INSTANCE(T) template __global__ void texted<T>(T *, const T *, int);
INSTANCE(float4)
INSTANCE(half2)
INSTANCE(inner::mark)
template <typename T> void any(T *y, const T *x, int n) { texted<T><<<1, 8>>>(y, x, n); }
void run(float4 *a, const float3 *b, const half2 *c, const __nv_bfloat162 *d, const uchar4 *e, const long2 *f, const double2 *g, Block *s, Given q, int n)
{
	vectors<<<1, 8>>>(a, b, c, d, e, f, g);
	structures<<<1, 8>>>(s, q);
	instances<<<1, 8>>>((Pair<float2> *)0, (const float2 *)0);
	instances<<<1, 8>>>((Pair<double> *)0, (const double *)0);
	holder<<<1, 8>>>(0);
	either<<<1, 8>>>(0);
	packed<<<1, 8>>>(0);
	later<<<1, 8>>>(0);
	many<<<1, 8>>>(0);
	turns<<<1, 8>>>(0);
	table<<<1, 8>>>(0);
}
