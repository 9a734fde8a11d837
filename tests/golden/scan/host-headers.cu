// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Headers that only the host compiler has are found as nvcc finds them; those that libclang has too are libclang's.
#include <immintrin.h>
#include <omp.h>
#include <quadmath.h>
#include <stdatomic.h>
// CHECK: "kernel":"k"{{.*}}"decline":null
#pragma ktune problem(n = 64) out(y[n])
__global__ void k(float *y, int n) { y[threadIdx.x] = n; }
void run(float *y, int n)
{
	const int threads = omp_get_max_threads();
	k<<<n / 32, 32>>>(y + threads, n);
}
