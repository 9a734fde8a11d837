/*
# The copy engine moves a block's elements into shared memory; a barrier counts their bytes.
region = "scale"
backend = "cuda"
guard = "offset == 0"
*/
KERNEL CANDIDATE(SCALE)
{
	__shared__ __align__(128) float t[64];
	__shared__ __align__(8) unsigned long long arrived;
	int first = 64 * blockIdx.x, i = first + threadIdx.x;
	unsigned barrier = (unsigned)__cvta_generic_to_shared(&arrived), to = (unsigned)__cvta_generic_to_shared(t);
	bool whole = first + 64 <= n;
	if (threadIdx.x == 0) {
		asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
		asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
		if (whole) {
			asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to),
			             "l"(x + first), "r"(barrier)
			             : "memory");
		}
	}
	__syncthreads();
	if (!whole) {
		if (i < n)
			y[i] = a * x[i];
		return;
	}
	unsigned done = 0;
	while (!done)
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
		             : "=r"(done)
		             : "r"(barrier)
		             : "memory");
	y[i] = a * t[threadIdx.x];
}
