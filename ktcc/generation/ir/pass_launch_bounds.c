/*
 * Launch bounds: how many threads a multiprocessor must have registers for. The compiler gives each thread no more registers
 * than that leaves it, so that more threads hide each other's memory latency: it is the limit of registers, in the unit in
 * which the device has it.
 *
 * Sound where every launch has blocks of one known size: `__launch_bounds__(T, n)` promises blocks of at most T threads, and
 * asks for n of them at a time. Where values are kept changes none.
 */
#include "generation/ir/pass.h"

enum { AS_WRITTEN = 0, MOST_THREADS = 1024 };

static const int64_t threads[] = {1024, 1536, 2048};

static bool applies(struct kt_ir_offer *offer)
{
	const int64_t block = kt_ir_threads_of(offer->facts);
	int64_t values[2 + sizeof threads / sizeof *threads] = {AS_WRITTEN, block};
	size_t count = 2;

	if (block == 0)
		return kt_ir_refuses(offer, offer->kernel->line,
		                    "the block of the launches is no constant; write block(N) where the program always launches N threads");
	/* Bounds of the user's own promise more than a launch of today shows. */
	if (offer->kernel->max_threads != 0)
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel has launch bounds");
	if (offer->kernel->max_registers != 0)
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel has a register limit");
	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
		if (threads[i] / block > values[count - 1] / block)
			values[count++] = threads[i];
	kt_ir_offer_values(offer, "RESIDENT", "threads that a multiprocessor must have registers for; 0: as in the original", values,
			   count, AS_WRITTEN);
	kt_ir_offer_restriction(offer, "RESIDENT <= device.max_threads_per_multiprocessor",
				"a multiprocessor holds no more threads");
	kt_ir_offer_restriction(offer,
				kt_ir_offer_text(offer, "RESIDENT <= %lld * device.max_blocks_per_multiprocessor",
						 (long long)block),
				"the compiler takes no bound of more blocks than a multiprocessor holds");
	for (size_t d = 0; d < 3; d++)
		if (offer->blocks[d] != offer->facts->blocks[d])
			kt_ir_offer_restriction(offer,
						kt_ir_offer_text(offer, "RESIDENT == 0 || %s == %lld", offer->blocks[d],
								 (long long)offer->facts->block[d]),
						"the launch bounds are about the original block");
	return kt_ir_applies(offer, "fewer registers for each thread leave room for more threads");
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	const int64_t block = kt_ir_threads_of(variant->offer->facts);
	const struct kt_ir_tunable *resident;

	(void)err;
	variant->kernel->max_threads = (uint32_t)block;
	variant->kernel->min_blocks = (uint32_t)(kt_ir_chosen(&resident, variant) / block);
	return KT_OK;
}

const struct kt_ir_pass kt_ir_pass_launch_bounds = {"launch_bounds", applies, transform};
