// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// RUN: %scan %s -- -std=c++17 -DHALF | %FileCheck %s
// Loads and stores with a cache hint, which clang's headers lack, also beside those of half numbers: the kernel is understood.
// CHECK: "kernel":"streamed",{{.*}}"decline":null
#ifdef HALF
#include <cuda_fp16.h>
#endif
#pragma ktune problem(n = 4096) in(x[4 * n], w[n]) out(y[4 * n], z[n])
__global__ void streamed(float4 *y, float *z, const float4 *x, const float *w, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n) {
		__stcs(y + i, __ldcs(x + i));
		__stwt(&z[i], __ldcg(&w[i]));
	}
}
void run(float4 *y, float *z, const float4 *x, const float *w, int n)
{
	streamed<<<(n + 255) / 256, 256>>>(y, z, x, w, n);
}
