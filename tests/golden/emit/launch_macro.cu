// Launches in the bodies of macros: copies of the macros launch by dispatchers, each written once; the user's remain as they are.
// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 t BLOCK=64 -- -arch=sm_90
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.cu %s -- -arch=sm_90 && grep -v '// CHECK' %t.cu | %FileCheck %s
// RUN: %nvcc -std=c++17 -arch=sm_90 -I %prefix/include -c %t.cu -o %t.o
// CHECK: {{^}}#include <ktune/ktune.h>
// CHECK-NEXT: {{^}}#define [[LIST:ktune_m_[0-9a-f]+_LAUNCH]](K, B, ...) [[T:ktune_d_[0-9a-f]+_t]]<float>(::ktune::launch_(n / B, B), __VA_ARGS__)
// CHECK-NEXT: {{^}}#define [[BOTH:ktune_m_[0-9a-f]+_BOTH]](T) do { [[K:ktune_d_[0-9a-f]+_k]](::ktune::launch_(n / BLOCK, BLOCK), (float *)y, n); [[T]]<T>(::ktune::launch_(n / BLOCK, BLOCK), y, n); } while (0)
// CHECK-NEXT: {{^}}#define [[PLAIN:ktune_m_[0-9a-f]+_LAUNCH]](K, B, ...) [[K]](::ktune::launch_(n / B, B), __VA_ARGS__)
// CHECK-NEXT: {{^}}#define [[OUTER:ktune_m_[0-9a-f]+_OUTER]](K) [[PLAIN]](K, BLOCK, y, n)
// CHECK-NEXT: {{^}}#line 1 "
#define BLOCK 128
// CHECK: {{^}}#define LAUNCH(K, B, ...) K<<<n / B, B>>>(__VA_ARGS__)
#define LAUNCH(K, B, ...) K<<<n / B, B>>>(__VA_ARGS__)
#define OUTER(K) LAUNCH(K, BLOCK, y, n)
#define BOTH(T) do { k<<<n / BLOCK, BLOCK>>>((float *)y, n); t<T><<<n / BLOCK, BLOCK>>>(y, n); } while (0)
#define SELF(y) k<<<n / 128, 128>>>(y, n); (void)SELF
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void t(T *y, int n) { y[blockIdx.x * BLOCK + threadIdx.x] = n; }
__global__ void other(float *y, int n) { y[0] = n; }
void run(float *y, int n)
{
	// CHECK: {{^}}	[[PLAIN]](k, BLOCK, y, n); [[PLAIN]](k,
	LAUNCH(k, BLOCK, y, n); LAUNCH(k,
		BLOCK, y, n);
	// CHECK: {{^}}	LAUNCH(other, 128, y, n);
	LAUNCH(other, 128, y, n);
	// CHECK-NEXT: {{^}}	[[LIST]](t<float>, BLOCK, y, n);
	LAUNCH(t<float>, BLOCK, y, n);
	// CHECK-NEXT: {{^}}	[[OUTER]](k);
	OUTER(k);
	// CHECK-NEXT: {{^}}	[[BOTH]](float);
	BOTH(float);
	int SELF = 0;
	// A macro that names itself keeps the original.
	// CHECK: {{^}}	SELF(y);
	SELF(y);
}
