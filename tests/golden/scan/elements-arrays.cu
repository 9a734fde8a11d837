// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Pointers to arrays: clauses count their innermost elements. Pointers to void: bytes.
#include <cuda_fp16.h>
struct block { half scale; signed char values[16]; };
struct chain { chain *next; };
// CHECK: "kernel":"fixed",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"a","type":"const float[6][24][24]",{{[^}]*}}"is_pointer":true,"is_const":true
// CHECK-SAME: "elements":["f32","f32","f32"],"types":["const float (*)[24][24]","float (*)[6][6]","const float (*)[4][4]"]
#pragma ktune in(a[6 * 24 * 24], w[16]) out(y[6 * 6 * 6])
__global__ void fixed(const float a[6][24][24], float y[6][6][6], const float w[1][4][4]) { y[0][0][0] = a[0][0][0]; }
// CHECK-SAME: "kernel":"rows",{{[^{]*}}"decline":null
// CHECK-SAME: "elements":["f32",{"bytes":8,"align":8,{{[^]]*}}]},"i32"],"types":["float (*)[24]","const float2 (*)[8]","int"]
#pragma ktune problem(n = 64, 100) in(b[n * 8]) inout(y[n * 24])
template <int D> __global__ void rows(float (*y)[D], const float2 (*b)[8], int n) { y[threadIdx.x][0] += b[threadIdx.x][1].x; }
// CHECK-SAME: "kernel":"bytes",{{[^{]*}}"decline":null
// CHECK-SAME: "is_pointer":true,"is_const":true
// CHECK-SAME: "elements":["u8","u8","f32","i32"],"types":["const void *","void *","float *","int"]
#pragma ktune problem(n = 64) in(x[n * 18]) out(z[n], y[n])
template <typename T> __global__ void bytes(const void *x, void *z, T *y, int n) { y[threadIdx.x] = *((const float *)x + threadIdx.x); *((char *)z + threadIdx.x) = 1; }
// CHECK-SAME: "kernel":"named",{{[^{]*}}"decline":null
// CHECK-SAME: "count":"n * 18","type":"block","fill":
// CHECK-SAME: "name":"named<float2>",{{[^{]*}}"elements":[{"bytes":18,"align":2,"numbers":[{"name":"scale","element":"f16","offset":0,"group":1},{"name":"values[0]","element":"i8","offset":2},{{.*}}"name":"values[15]","element":"i8","offset":17}]},{"bytes":8,"align":8,"numbers":[{"name":"x","element":"f32","offset":0},{"name":"y","element":"f32","offset":4}]},"f32","i32"]
#pragma ktune problem(n = 64) in(x[n * 18]: as(block) {scale = uniform(0, 1)}) out(z[n * 8]: as(T), y[n])
template <typename T> __global__ void named(const void *x, void *z, float *y, int n) { y[threadIdx.x] = 1; ((T *)z)[threadIdx.x].x = 1; }
// CHECK-SAME: "kernel":"counted",{{[^{]*}}
// CHECK-SAME: error: 'y' points to arrays of 24 numbers, and the clause counts 64 numbers of it\n{{.*}}hint: write y[(n) * 24]
// CHECK-SAME: error: 'y' is no pointer to void{{.*}}hint: the type of other pointers is the signature's: leave as(…) out
// CHECK-SAME: error: no type 'unheard' in this file
// CHECK-SAME: error: 'x.next' is a pointer, which no clause fills
// CHECK-SAME: error: 'b' points to const and cannot be written
#pragma ktune problem(n = 64) in(b[n * 8]) inout(y[n])
__global__ void counted(float (*y)[24], const float2 (*b)[8], int n) { y[threadIdx.x][0] += b[threadIdx.x][1].x; }
#pragma ktune problem(n = 64) in(x[n]) inout(y[n]: as(float))
__global__ void typed(const void *x, float *y, int n) { y[threadIdx.x] = 1; }
#pragma ktune problem(n = 64) in(x[n]: as(unheard)) inout(y[n])
__global__ void unheard_of(const void *x, float *y, int n) { y[threadIdx.x] = 1; }
#pragma ktune problem(n = 64) in(x[n]: as(chain)) inout(y[n])
__global__ void chained(const void *x, float *y, int n) { y[threadIdx.x] = 1; }
#pragma ktune problem(n = 64) inout(b[n * 8]) inout(y[n * 24])
__global__ void written(float (*y)[24], const float2 (*b)[8], int n) { y[threadIdx.x][0] += b[threadIdx.x][1].x; }
void run(float (*y)[24], const float2 (*b)[8], const float (*a)[24][24], float (*z)[6][6], const float (*w)[4][4], int n)
{
	fixed<<<1, 8>>>(a, z, w);
	rows<<<1, 8>>>(y, b, n);
	named<float2><<<1, 8>>>(b, y, y[0], n);
	typed<<<1, 8>>>(b, y[0], n);
	unheard_of<<<1, 8>>>(b, y[0], n);
	chained<<<1, 8>>>(b, y[0], n);
	bytes<<<1, 8>>>(b, y, y[0], n);
	counted<<<1, 8>>>(y, b, n);
	written<<<1, 8>>>(y, b, n);
}
