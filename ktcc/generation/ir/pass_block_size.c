/*
 * The size of a block, for kernels whose threads differ by their global index alone. Sound where threads are
 * independent: the same indices are divided into other blocks. Threads past the end of the original grid do nothing, or
 * there are none.
 */
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"

enum { MOST_THREADS = 1024 };

static const int64_t sizes[] = {64, 128, 256, 512, 1024};

static bool has_one_dimension(const struct kt_ir_facts *facts)
{
	return facts->block[0] > 0 && facts->block[0] <= MOST_THREADS && facts->block[1] == 1 && facts->block[2] == 1;
}

static bool applies(struct kt_ir_offer *offer)
{
	const struct kt_ir_facts *facts = offer->facts;
	const struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	const char *grid = offer->grid[0] == NULL ? "1" : offer->grid[0], *written = kt_ir_written_grid(offer, 0), *why;
	int64_t values[1 + sizeof sizes / sizeof *sizes];
	const size_t guards = offer->guard_count;
	const struct kt_ir_value *bound;
	const char *covered = NULL;
	struct kt_ir_lets lets;
	size_t count = 0;
	uint32_t line;

	if (!has_one_dimension(facts))
		return kt_ir_refuses(offer, offer->kernel->line,
				     "the block of the launches is no constant of one dimension");
	if (offer->kernel->max_threads != 0)
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel has launch bounds");
	module = kt_ir_offer_normal(offer);
	if (module == NULL)
		return false;
	kernel = module->last_function;
	why = kt_ir_why_dependent(kernel, &line);
	if (why != NULL)
		return kt_ir_refuses(offer, line, "%s", why);
	if (!kt_ir_uses_global_alone(kernel, 0))
		return kt_ir_refuses(offer, kernel->line, "threads of a block differ by more than their global index");
	if (!kt_ir_lets_of(&lets, offer->arena, module, kernel) || !kt_ir_offer_assumptions(offer, kernel)) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, kernel->line, "an assumption about the launch has no words");
	}
	bound = kt_ir_bound_of(kernel, &lets, 0);
	if (bound != NULL)
		covered = kt_ir_launch_text(offer, &lets, bound);
	values[count++] = facts->block[0];
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i] != facts->block[0])
			values[count++] = sizes[i];
	kt_ir_offer_values(offer, "BLOCK", "threads of a block", values, count, facts->block[0]);
	kt_ir_offer_restriction(offer, "BLOCK <= device.max_threads_per_block", "a block holds no more threads");
	kt_ir_offer_guard(offer,
			  covered == NULL
			      ? kt_ir_offer_text(offer, "(%s) * %lld %% BLOCK == 0", grid, (long long)facts->block[0])
			      : kt_ir_offer_text(offer, "(%s) * %lld %% BLOCK == 0 || %s <= (%s) * %lld", grid,
						 (long long)facts->block[0], covered, written,
						 (long long)facts->block[0]),
			  "threads past the end of the grid have nothing to do");
	kt_ir_offer_guard(offer,
			  kt_ir_offer_text(offer, "(%s) * %lld <= 2130706432", written, (long long)facts->block[0]),
			  "indices of threads past the end of the grid do not wrap");
	offer->grid[0] = kt_ir_offer_text(offer, "ceil_div((%s) * %lld, BLOCK)", grid, (long long)facts->block[0]);
	offer->blocks[0] = "BLOCK";
	return kt_ir_applies(offer, "the same indices are divided into other blocks");
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	const kt_status status = kt_ir_normalise(variant->module, variant->offer->facts->block, err);

	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	return status;
}

const struct kt_ir_pass kt_ir_pass_block_size = {"block_size", applies, transform};
