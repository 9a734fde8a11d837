// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t/lock %s scale BLOCK=64 fixed BLOCK=64 rows BLOCK=64 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t/lock %ktcc emit -o %t/out.cu %s -- -arch=sm_90 -std=c++17 && grep -v CHECK %t/out.cu | %FileCheck %s
// RUN: cd %t && %nvcc -arch=sm_90 -std=c++17 -I%prefix/include -Werror all-warnings -c out.cu -o out.o
// A dispatcher passes pointers to vectors, structures and arrays as they are; guards count elements of each.
#define BLOCK 128
#include <cuda_fp16.h>
struct edge { int from, to; float weight; };
// CHECK: ::ktune::disjoint_(ktune_f, (ktune_a0), {{.*}}, (ktune_a1),
#pragma ktune problem(n = 4096) in(x[n], e[n]) out(y[n]) inout(h[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK) \
	guard(disjoint(y, n, x, n) && aligned(x, 16) && disjoint(e, n, h, n))
__global__ void scale(float4 *y, const float4 *x, const edge *e, half2 *h, int n)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n) {
		y[i] = make_float4(x[i].x * e[i].weight, x[i].y, x[i].z, x[i].w);
		h[i].x = h[i].y;
	}
}
#pragma ktune in(a[6 * 24 * 24]) out(y[6 * 24]) tune(BLOCK = 64, 128) grid(ceil_div(6 * 24, BLOCK)) block(BLOCK) \
	guard(disjoint(a, 6 * 24 * 24, y, 6 * 24))
__global__ void fixed(const float a[6][24][24], float (*__restrict__ y)[24])
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < 6 * 24)
		y[i / 24][i % 24] = a[i / 24][i % 24][3];
}
#pragma ktune problem(n = 64, 100) in(b[n * 8]) inout(y[n * 24]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <int D> __global__ void rows(float (*y)[D], const float2 (*b)[8], int n)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i][0] += b[i][1].x;
}
void run(float4 *y, const float4 *x, const edge *e, half2 *h, const float (*a)[24][24], float (*z)[24], const float2 (*b)[8], int n)
{
	scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, e, h, n);
	fixed<<<(6 * 24 + BLOCK - 1) / BLOCK, BLOCK>>>(a, z);
	rows<24><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(z, b, n);
}
