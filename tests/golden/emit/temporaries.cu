// REQUIRES: nvcc
// RUN: rm -rf %t && mkdir %t && sh %system/Inputs/rules/program.sh %prefix %t/can && cp %golden/emit/Inputs/temporaries.json %t/can/libexec/ktcc/rewrite.json
// RUN: python3 %system/Inputs/make_entry.py --ktcc %t/can/bin/ktcc --lock %t/lock --rewrite %golden/emit/Inputs/temporaries.json %s sums CHUNK=128 plain N=2 -- -arch=sm_90 -std=c++11
// RUN: env KTUNE_LOCK_DIR=%t/lock %t/can/bin/ktcc emit -o - %s -- -arch=sm_90 -std=c++11 > %t/out.cu && grep -v CHECK %t/out.cu | %FileCheck %s
// A plan with memory of its own: sizes in 64 bits, asked for behind everything else that can keep the plan out, given back
// behind its last kernel, and behind the first where that was refused. A plan without shows none of it.
__global__ void clear(float *y, int rows)
{
	if (blockIdx.x * blockDim.x + threadIdx.x < rows)
		y[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

__global__ void add(float *y, const float *x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		atomicAdd(&y[blockIdx.x], x[(long)blockIdx.x * d + i]);
}
// CHECK: {{^}}// run: sums of parts, then of rows
// CHECK-NEXT: {{^}}//   CHUNK = 128    elements of a part
// CHECK-NEXT: {{^}}// private memory: partial: rows * ceil_div(d, CHUNK)
// CHECK-NEXT: {{^}}//                    seen: rows * ceil_div(d, CHUNK)
// CHECK: KTUNE_GENERATED static __global__ void [[SUMS:ktune_v_[0-9a-f]+_[a-z]+]](float *y, int rows, const float *x, int d, float *partial, long long *seen)
// CHECK: KTUNE_GENERATED static __global__ void [[SUMS]]_k1(
// CHECK: ::ktune::address_(static_cast<void (*)(float *, int, const float *, int, float *, long long *)>(&[[SUMS]])), true);
// CHECK: ::ktune::address_(static_cast<void (*)(float *, int, const float *, int, float *, long long *)>(&[[SUMS]]_k1)), false);
// CHECK: const ::ktune::geometry_ ktune_g1(
// CHECK-NEXT: const long long ktune_e0 = ::ktune::extend_(ktune_f, 0LL, ::ktune::mul_(ktune_f, {{.*}}, ::ktune::ceil_div_(ktune_f, {{.*}}128LL)), 4LL);
// CHECK-NEXT: const long long ktune_e1 = ::ktune::extend_(ktune_f, ktune_e0, ::ktune::mul_(ktune_f, {{.*}}), 8LL);
// CHECK-EMPTY:
// CHECK-NEXT: if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word) && ktune_g1.legal_(ktune_word1)))
// CHECK-NEXT: ktune_now = ::ktune::outcome_problem_;
// CHECK-NEXT: else if (!::ktune::launchable_(ktune_g) || ::ktune::error_pending_())
// CHECK-NEXT: ktune_now = ::ktune::outcome_error_;
// CHECK-NEXT: else if (char *const ktune_m = ::ktune::borrow_(ktune_e1, ktune_at.stream_)) {
// CHECK-NEXT: char *const ktune_t0 = ktune_m;
// CHECK-NEXT: char *const ktune_t1 = ktune_m + ktune_e0;
// CHECK-EMPTY:
// CHECK-NEXT: ::ktune::enqueue_(::ktune::address_(&[[SUMS]]), ktune_g, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2, ktune_a3, ktune_t0, ktune_t1);
// CHECK-NEXT: if (!::ktune::refused_(ktune_known, ktune_g)) {
// CHECK-NEXT: ::ktune::enqueue_(::ktune::address_(&[[SUMS]]_k1), ktune_g1, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2, ktune_a3, ktune_t0, ktune_t1);
// CHECK-NEXT: ::ktune::give_back_(ktune_m, ktune_at.stream_);
// CHECK-NEXT: return ::ktune::launched_(ktune_word);
// CHECK-NEXT: }
// CHECK-NEXT: ::ktune::give_back_(ktune_m, ktune_at.stream_);
// CHECK-NEXT: ktune_now = ::ktune::outcome_error_;
// CHECK-NEXT: } else
// CHECK-NEXT: ktune_now = ::ktune::outcome_error_;
// CHECK-NEXT: }
// CHECK: {{^}}// plain: {{.*}}
// CHECK-NEXT: {{^}}//   N = 2
// CHECK-NEXT: {{^}}// split
// CHECK: const ::ktune::geometry_ ktune_g1(
// CHECK-EMPTY:
// CHECK-NEXT: if (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word) && ktune_g1.legal_(ktune_word1)))
// CHECK-NEXT: ktune_now = ::ktune::outcome_problem_;
// CHECK-NEXT: else if (!::ktune::launchable_(ktune_g) || ::ktune::error_pending_())
// CHECK-NEXT: ktune_now = ::ktune::outcome_error_;
// CHECK-NEXT: else {
// CHECK-NEXT: ::ktune::enqueue_(::ktune::address_(&[[PLAIN:ktune_v_[0-9a-f]+_clear]]), ktune_g, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
// CHECK-NEXT: if (!::ktune::refused_(ktune_known, ktune_g)) {
// CHECK-NEXT: ::ktune::enqueue_(::ktune::address_(&[[PLAIN]]_k1), ktune_g1, ktune_at.stream_, ktune_a0, ktune_a1, ktune_a2, ktune_a3);
// CHECK-NEXT: return ::ktune::launched_(ktune_word);
// CHECK-NEXT: }
// CHECK-NEXT: ktune_now = ::ktune::outcome_error_;
// CHECK-NEXT: }
// CHECK-NEXT: }

void run(float *y, const float *x, int rows, int d, cudaStream_t s)
{
#pragma ktune name(sums) problem(rows = 16; d = 4096) in(x[rows*d]) out(y[rows])
	{
		clear<<<(rows + 255) / 256, 256, 0, s>>>(y, rows);
		add<<<rows, 256, 0, s>>>(y, x, d);
	}
}

void plain(float *y, const float *x, int rows, int d, cudaStream_t s)
{
#pragma ktune name(plain) problem(rows = 16; d = 4096) in(x[rows*d]) out(y[rows])
	{
		clear<<<(rows + 255) / 256, 256, 0, s>>>(y, rows);
		add<<<rows, 256, 0, s>>>(y, x, d);
	}
}
