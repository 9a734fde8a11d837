// RUN: %scan %s -- -std=c++17
// The include declares inside of the namespace.
namespace inner {
struct early { int x; };
}
namespace outer {
#include <cuda_fp16.h>
}
using outer::__half;
__device__ __half twice(__half x) { return x; }
#define ITEMS 1

#pragma ktune problem(n = 1024) inout(x[n]) tune(ITEMS = 1, 2)
__global__ void k(__half *x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x * ITEMS)
		x[i] = twice(x[i]);
}
void run(__half *x, int n) { k<<<1, 128>>>(x, n); }
