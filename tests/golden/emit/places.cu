// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s k BLOCK=64 later SPAN=32 hidden WIDTH=256 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o - %s -- -arch=sm_90 -std=c++17 | grep -v CHECK | %FileCheck %s
// Dispatchers behind definitions and declarations; launches lead to them with all namespaces, and keep their lines.
#define BLOCK 128
#define SPAN 128
#define WIDTH 128
namespace ops
{
inline namespace v1
{
#pragma ktune problem(n = 1000) out(y[n]) tune(BLOCK = 64, 128)
__global__ void k(float y[], int n)
{
	if (blockIdx.x * BLOCK + threadIdx.x < n)
		y[blockIdx.x * BLOCK + threadIdx.x] = 1;
}
} // namespace v1
} // namespace ops
// CHECK: #include <ktune/ktune.h>
// CHECK-NEXT: #line 1 "{{.*}}places.cu"
// CHECK: #pragma push_macro("BLOCK")
// CHECK-NEXT: #undef BLOCK
// CHECK-NEXT: #define BLOCK 64
// CHECK-NEXT: #line 13 "{{.*}}places.cu"
// CHECK-NEXT: static __global__ void [[VARIANT:ktune_v_[0-9a-f]+_k]](float y[], int n)
// CHECK-NEXT: #if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900
// CHECK-NEXT: #line 14 "{{.*}}places.cu"
// CHECK: __trap();
// CHECK: #pragma pop_macro("BLOCK")
// CHECK: "NVIDIA H200", 90, 132, 6016, 62914560LL
// CHECK: ::ktune::address_(&[[VARIANT]])
// CHECK: static inline void [[K:ktune_d_[0-9a-f]+_k]](const ::ktune::launch_ &ktune_at, float ktune_a0[], int ktune_a1)
__device__ __host__ constexpr int sum(int a, int b) { return a + b; }
__global__ void later(float *y, int n = sum(500, 500));
// The defaults of the declaration.
// CHECK: static inline void [[LATER:ktune_d_[0-9a-f]+_later]](const ::ktune::launch_ &ktune_at, float * ktune_a0, int ktune_a1 = sum(500, 500));
// CHECK-NEXT: #if
#pragma ktune problem(n = 1000) out(y[n]) tune(SPAN = 32, 128) grid(ceil_div(n, SPAN)) block(SPAN)
__global__ void later(float *y, int n)
{
	if (blockIdx.x * SPAN + threadIdx.x < n)
		y[blockIdx.x * SPAN + threadIdx.x] = 2;
}
// CHECK: static inline void [[LATER]](const ::ktune::launch_ &ktune_at, float * ktune_a0, int ktune_a1)
namespace
{
struct Plus {
	__device__ float operator()(float a) const { return a + 1; }
};
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 256, 128)
template <typename F> __global__ void hidden(float *y, int n)
{
	if (blockIdx.x * WIDTH + threadIdx.x < n)
		y[blockIdx.x * WIDTH + threadIdx.x] = F()(1);
}
} // namespace
// No anonymous namespace inside of the anonymous namespace.
// CHECK: static inline void ktune_t_
// CHECK-NOT: namespace
// CHECK: template <> struct ktune_i_{{[0-9a-f]+}}<Plus> {
using ops::k;
void run(float *y, int n)
{
	// CHECK: {{^}}	::ops::v1::[[K]](::ktune::launch_((n + BLOCK - 1) / BLOCK, BLOCK), y, n);
	k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	// CHECK: {{^}}	::ops::v1::[[K]](::ktune::launch_((n + BLOCK - 1) / BLOCK, BLOCK), y, n);
	ops::k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	// CHECK: {{^}}	[[LATER]](::ktune::launch_(8, SPAN), y);
	::later<<<8, SPAN>>>(y);
	// CHECK: {{^}}	ktune_d_{{[0-9a-f]+}}_hidden<Plus>(::ktune::launch_((n + WIDTH - 1) / WIDTH, WIDTH), y, n);
	hidden<Plus><<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
}
