// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// The configuration of launches in macros' bodies: parameters, variables of the body by their blocks, what is set in a loop.
// CHECK: "kernel":"half_kernel"
// CHECK-SAME: {"file":"{{[^"]*}}","line":[[@LINE+39]],{{[^{]*}}"decline":null,{{.*}}"grid":["64"],"block":["1024 / 4"]
// CHECK-SAME: "line":[[@LINE+38]],{{[^{]*}}"decline":null,{{.*}}"grid":["(n + 256 - 1) / 256"],"block":["256 / 4"]
// CHECK-SAME: "line":[[@LINE+37]],{{[^{]*}}"decline":null
// A variable of the body that hides the one that a problem variable would be; two ways to the launch.
// CHECK: "kernel":"rows_kernel"
// CHECK-SAME: "line":[[@LINE+41]],{{[^{]*}}"decline":"launch-in-macro"
// CHECK-SAME: "line":[[@LINE+41]],{{[^{]*}}"decline":null
// CHECK-SAME: "line":[[@LINE+40]],{{[^{]*}}"decline":null
// CHECK-SAME: "line":[[@LINE+40]],{{[^{]*}}"decline":null
// What a body sets of its kernel holds for all launches of it.
// CHECK: "kernel":"set_kernel",{{.*}}"decline":"kernel-attribute"
#define DEFINE(type, per) \
	void run_##type(float *y, int m) \
	{ \
		if (m > 4) { \
			dim3 grid(64); \
			dim3 block(1024 / (per)); \
			type##_kernel<<<grid, block>>>(y, m); \
		} else { \
			int count = 1; \
			for (int i = 0; i < m; ++i) \
				count *= i; \
			const int all = 256; \
			dim3 block(all / (per)); \
			dim3 grid((count + all - 1) / all); \
			type##_kernel<<<grid, block>>>(y, count); \
			int other = 1; \
			other++; \
			type##_kernel<<<other, 256>>>(y, count); \
		} \
	}
#define ROWS(count) do { int rows = count; rows_kernel<<<rows, 32>>>(y); } while (0)
#define RUN(K) K<<<rows, 32>>>(y)
#define TWICE(K) RUN(K); RUN(K)
#define WITH(K) cudaFuncSetCacheConfig(K, cudaFuncCachePreferL1), RUN(K)
#include <cuda_runtime.h>
#pragma ktune problem(n = 1024) out(y[n])
__global__ void half_kernel(float *y, int n) { y[blockIdx.x * 256 + threadIdx.x] = n; }
// The three launches are here:
DEFINE(half, 4)
#pragma ktune problem(rows = 1024) out(y[rows * 32])
__global__ void rows_kernel(float *y) { y[blockIdx.x * 32 + threadIdx.x] = 1; }
#pragma ktune problem(rows = 1024) out(y[rows * 32])
__global__ void set_kernel(float *y) { y[blockIdx.x * 32 + threadIdx.x] = 1; }
void run(float *y, int rows, int others)
{
	ROWS(others);
	TWICE(rows_kernel);
	RUN(rows_kernel);
	WITH(set_kernel);
	RUN(set_kernel);
}
