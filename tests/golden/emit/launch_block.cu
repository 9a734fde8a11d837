// REQUIRES: nvcc
// RUN: rm -rf %t %t.can && sh %system/Inputs/rules/program.sh %prefix %t.can && cp %golden/emit/Inputs/launch_block.json %t.can/libexec/ktcc/rewrite.json
// RUN: python3 %system/Inputs/make_entry.py --ktcc %t.can/bin/ktcc --lock %t --rewrite %golden/emit/Inputs/launch_block.json %s fill BLOCK=64 both N=2 last N=4 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t %t.can/bin/ktcc emit -o - %s -- -arch=sm_90 -std=c++17 > %t.out && grep -v CHECK %t.out | %FileCheck %s
// A block of launches calls its dispatcher before the first one, which keeps the originals where an error is pending; what is
// between them is left unmodified. A launch in it that has a dispatcher of its own keeps that one. Variants stand behind the last of the kernels.
#define BLOCK 128
namespace ops
{
#pragma ktune problem(n = 1024) out(y[n]) tune(BLOCK = 64, 128)
__global__ void fill(float *y, int n)
{
	y[blockIdx.x * BLOCK + threadIdx.x] = n;
}
// CHECK: static inline void [[FILL:ktune_d_[0-9a-f]+_fill]](
namespace
{
__global__ void twice(float *y, const float *t, long n)
{
	if (blockIdx.x * 256 + threadIdx.x < n)
		y[blockIdx.x * 256 + threadIdx.x] = 2 * t[blockIdx.x * 256 + threadIdx.x];
}
// CHECK: {{^}}// both: both kernels at once
// CHECK: KTUNE_GENERATED static __global__ void [[BOTH:ktune_v_[0-9a-f]+_fill]](float *t, long n, float *y)
// CHECK: ::ktune::address_(static_cast<void (*)(float *, long, float *)>(&[[BOTH]]))
// CHECK: (::ktune::geometry_({{.*}}128LL{{.*}}).is_(ktune_at) &&
// CHECK-NEXT: ::ktune::geometry_({{.*}}256LL, 1LL, 1LL, 0LL).is_(ktune_at1))
// CHECK: else if (!::ktune::launchable_(ktune_g) || ::ktune::error_pending_())
// CHECK: static inline bool [[TRY:ktune_d_[0-9a-f]+_fill]](const ::ktune::launch_ &ktune_at, const ::ktune::launch_ &ktune_at1, float * ktune_a0, long ktune_a1, float * ktune_a2)
// CHECK: else if (!::ktune::launchable_(ktune_g)){{$}}
// CHECK: static inline bool [[LAST:ktune_d_[0-9a-f]+_twice]](const ::ktune::launch_ &ktune_at, const ::ktune::binding_ &ktune_b0, float * ktune_a0, const float * ktune_a1, long ktune_a2)
} // namespace

cudaError_t both(float *y, float *t, int n, cudaStream_t s)
{
// CHECK: cudaError_t both(
#pragma ktune problem(n = 1024) out(y[n]) scratch(t[n])
	{
		dim3 grid((n + 255) / 256);
		// CHECK: {{^}}		const bool [[DONE:ktune_x_[0-9a-f]+]] = ::ops::[[TRY]](::ktune::launch_(n / BLOCK, BLOCK, 0, s), ::ktune::launch_(grid, 256, 0, s), t, n, y); if (![[DONE]]) ::ops::[[FILL]](::ktune::launch_(n / BLOCK, BLOCK, 0, s /* the same */), t, n);
		fill<<<n / BLOCK, BLOCK, 0, s /* the same */>>>(t, n);
		// CHECK-NEXT: {{^}}		cudaError_t error = cudaGetLastError();
		cudaError_t error = cudaGetLastError();
		// CHECK-NEXT: {{^}}		(void)error;
		(void)error;
		// CHECK-NEXT: {{^}}		if (![[DONE]]) twice<<<grid, 256, 0, s>>>(y, t, n);
		twice<<<grid, 256, 0, s>>>(y, t, n);
	}
	return cudaGetLastError();
}

void last(float *y, const float *x, int count)
{
	if (count > 0)
		// CHECK: {{^}}		{ const bool [[ONE:ktune_x_[0-9a-f]+]] = ::ops::[[LAST]](::ktune::launch_((count + 255) / 256, 256), ::ktune::binding_(count), y, x, count); if (![[ONE]]) twice<<<(count + 255) / 256, 256>>>(y, x, count); }
#pragma ktune problem(n = 1024) in(x[n]) out(y[n]) value(count = 1024) bind(n = count)
		twice<<<(count + 255) / 256, 256>>>(y, x, count);
	// CHECK-NEXT: {{^}}	else
	else
		(void)y;
}
} // namespace ops
