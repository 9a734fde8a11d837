// What the record holds of a device symbol that a clause names: what the program calls it, and how much it is.
// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "name":"plain","argument":-1,"symbol":{"name":"plain","element":"f32","elements":64,"constant":false},"direction":"out"
// CHECK-SAME: "name":"hidden","argument":-1,"symbol":{"name":"_ZL6hidden","element":"i32","elements":8,"constant":false},"direction":"inout"
// CHECK-SAME: "name":"matrix","argument":-1,"symbol":{"name":"matrix","element":"f64","elements":12,"constant":true},"direction":"in"
// CHECK-SAME: "name":"one","argument":-1,"symbol":{"name":"_ZN3opsL3oneE","element":"u32","elements":1,"constant":false},"direction":"inout"
// CHECK-SAME: "name":"unnamed","argument":-1,"symbol":{"name":"_ZN3ops12_GLOBAL__N_17unnamedE","element":"f16","elements":4,"constant":false}
// CHECK-SAME: "name":"fixed","argument":-1,"symbol":{"name":"_ZN3opsL5fixedE","element":"f32","elements":3,"constant":true}
// CHECK-SAME: "kernel":"vectors",{{[^{]*}}"decline":null{{.*}}"symbol":{"name":"packs","element":{"bytes":16,"align":16,"numbers":[{"name":"x","element":"f32","offset":0},{{[^]]*}}]},"elements":2,"constant":false}
// CHECK-SAME: "kernel":"pointers",{{[^{]*}}"decline":"argument-type","decline_detail":"device symbol 'rows' has type 'float *[2]': 'rows' is a pointer, which no clause fills; declare it as an array of numbers, such as float rows[COUNT], or of vectors or structures of them"
// CHECK-SAME: "kernel":"sizeless",{{[^{]*}}"decline":"argument-type","decline_detail":"device symbol 'elsewhere' has no size here; write its number of elements in the declaration that 'sizeless' sees"
// CHECK-SAME: "name":"twice","argument":-1,"symbol":{"name":"_ZN1b5twiceE","element":"i32"
// CHECK-SAME: "name":"twice","argument":-1,"symbol":{"name":"_ZN1a5twiceE","element":"f32"
// CHECK-SAME: "kernel":"mixed",{{[^{]*}}"decline":"mutable-global","decline_detail":"'twice'; write in, out or inout(twice[COUNT]), or make it const"
// CHECK-SAME: "kernel":"unnamed_constant",{{[^{]*}}"decline":null,{{.*}}"constants":["_ZN3opsL5fixedE"],"drops"
// CHECK-SAME: error: 'matrix' is constant and cannot be written
// CHECK-SAME: hint: write in(matrix[…])
// CHECK-SAME: error: 'fixed' is constant and cannot be written
// CHECK-SAME: error: 'both' uses two device symbols called 'twice', the other one is 'a::twice'
// CHECK-SAME: hint: give one of them another name
// CHECK-SAME: error: 'host' has no argument 'on_host'
#include <cuda_fp16.h>
__device__ float plain[64];
static __device__ int hidden[8];
__constant__ double matrix[3][4];
__device__ float4 packs[2];
__device__ float *rows[2];
extern __device__ float elsewhere[];
float on_host[4];
namespace a {
__device__ float twice[4];
}
namespace b {
__device__ int twice[4];
}
namespace ops {
static __device__ unsigned one;
__device__ const int unused[2] = {1, 2};
__device__ const float fixed[3] = {1, 2, 3};
namespace {
__device__ __half unnamed[4];
}
#pragma ktune problem(n = 8) out(plain[n]) inout(hidden[n]) in(matrix[3 * 4]) inout(one[1]) out(unnamed[4]) in(fixed[3])
__global__ void all(int n)
{
	plain[n] = hidden[n]++ + matrix[n][n] + one++ + fixed[n];
	unnamed[n] = n;
}
}
#pragma ktune problem(n = 8) out(packs[2])
__global__ void vectors(int n) { packs[n].x = 1; }
#pragma ktune problem(n = 8) out(rows[2])
__global__ void pointers(int n) { rows[n] = 0; }
#pragma ktune problem(n = 8) out(elsewhere[n])
__global__ void sizeless(int n) { elsewhere[n] = 1; }
namespace a {
#pragma ktune problem(n = 4) inout(twice[n])
__global__ void named(int n) { b::twice[n]++; }
__device__ void add(int n) { twice[n]++; }
#pragma ktune problem(n = 4) inout(twice[n])
__global__ void called(int n) { add(n); }
#pragma ktune problem(n = 4) inout(twice[n])
__global__ void mixed(int n)
{
	b::twice[n]++;
	add(n);
}
}
// A constant without a clause is watched; one with a clause, and one that is not used, are not.
#pragma ktune problem(n = 8) in(matrix[12]) out(plain[n])
__global__ void unnamed_constant(int n) { plain[n] = ops::fixed[n % 3] + matrix[0][0]; }
#pragma ktune problem(n = 8) inout(matrix[12])
__global__ void writes(int n) {}
#pragma ktune problem(n = 3) out(fixed[n])
__global__ void writes_fixed(int n) { (void)ops::fixed[n]; }
#pragma ktune problem(n = 4) inout(twice[n])
__global__ void both(int n) { b::twice[n] += a::twice[n]; }
#pragma ktune problem(n = 4) in(on_host[n])
__global__ void host(int n) {}
void run(int n)
{
	ops::all<<<1, 1>>>(n);
	vectors<<<1, 1>>>(n);
	pointers<<<1, 1>>>(n);
	sizeless<<<1, 1>>>(n);
	a::named<<<1, 1>>>(n);
	a::called<<<1, 1>>>(n);
	a::mixed<<<1, 1>>>(n);
	unnamed_constant<<<1, 1>>>(n);
}
