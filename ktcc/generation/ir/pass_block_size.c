/*
 * The size of a block along each dimension, for kernels whose threads differ by their global index there alone. Sound
 * where threads are independent, or, along y and z, where warps are and rows of threads along x are whole warps: the
 * same indices are divided into other blocks. Threads past the end of the original grid do nothing, or there are none.
 */
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/warps.h"

enum { MOST_THREADS = 1024, FEWEST_THREADS = 64 };

static const int64_t flat[] = {64, 128, 256, 512, 1024}, along_x[] = {8, 16, 32, 64, 128, 256},
		     further[] = {1, 2, 4, 8, 16, 32};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One dimension of the block. */
struct extent {
	unsigned d;
	const char *name;
	int64_t unit; /* what is chosen is a multiple of the extent */
	const struct kt_ir_value *bound;
	const char *covered; /* the bound in words; NULL: there is none */
};

static bool is_flat(const int64_t *block)
{
	return block[1] == 1 && block[2] == 1;
}

static void offer_values(struct kt_ir_offer *offer, const struct extent *e)
{
	static const char *const meanings[] = {"threads of a block", "threads of a block along y",
					       "threads of a block along z"};
	const bool is_whole = is_flat(offer->written->block);
	const int64_t written = offer->facts->block[e->d] * e->unit;
	const int64_t *sizes = is_whole ? flat : e->d == 0 ? along_x : further;
	const size_t size_count = is_whole ? COUNT(flat) : e->d == 0 ? COUNT(along_x) : COUNT(further);
	int64_t values[1 + COUNT(along_x) + COUNT(further)] = {written};
	size_t count = 1;

	for (size_t i = 0; i < size_count; i++)
		if (sizes[i] != written)
			values[count++] = sizes[i];
	kt_ir_offer_values(offer, e->name,
			   is_whole    ? meanings[0]
			   : e->d == 0 ? "threads of a block along x"
				       : meanings[e->d],
			   values, count, written);
}

/* Threads past the end of the written grid have nothing to do, and their indices do not wrap. */
static void offer_guards(struct kt_ir_offer *offer, const struct extent *e)
{
	const char *grid = offer->grid[e->d] == NULL ? "1" : offer->grid[e->d],
		   *written = kt_ir_written_grid(offer, e->d);
	const long long block = (long long)offer->facts->block[e->d], all = block * e->unit;

	kt_ir_offer_guard(offer,
			  e->covered == NULL ? kt_ir_offer_text(offer, "(%s) * %lld %% %s == 0", grid, all, e->name)
					     : kt_ir_offer_text(offer, "(%s) * %lld %% %s == 0 || %s <= (%s) * %lld",
								grid, all, e->name, e->covered, written, block),
			  "threads past the end of the grid have nothing to do");
	kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) * %lld <= 2130706432", written, all),
			  "indices of threads past the end of the grid do not wrap");
	offer->grid[e->d] = kt_ir_offer_text(offer, "ceil_div((%s) * %lld, %s)", grid, all, e->name);
	offer->blocks[e->d] =
	    e->unit == 1 ? e->name : kt_ir_offer_text(offer, "%s / %lld", e->name, (long long)e->unit);
}

/* How many threads all extents together may be. */
static void offer_product(struct kt_ir_offer *offer, const struct extent *extents, size_t count)
{
	const int64_t written = kt_ir_threads_of(offer->facts), fewest = written < FEWEST_THREADS ? written : FEWEST_THREADS;
	const char *product = NULL;
	int64_t others = written;

	for (size_t i = 0; i < count; i++) {
		others /= offer->facts->block[extents[i].d] * (is_flat(offer->written->block) ? extents[i].unit : 1);
		product =
		    product == NULL ? extents[i].name : kt_ir_offer_text(offer, "%s * %s", product, extents[i].name);
	}
	if (others > 1)
		product = kt_ir_offer_text(offer, "%s * %lld", product, (long long)others);
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "%s <= device.max_threads_per_block", product),
				"a block holds no more threads");
	if (!is_flat(offer->written->block))
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "%s >= %lld", product, (long long)fewest),
					"blocks of fewer threads leave multiprocessors idle");
}

static const char *why_dependent(const struct kt_ir_offer *offer, const struct kt_ir_function *kernel, unsigned d,
				 uint32_t *line)
{
	const char *why = kt_ir_why_dependent(kernel, line);

	/* Warps stay what they are. */
	if (why != NULL && d > 0 && offer->facts->block[0] % KT_IR_LANES == 0)
		why = kt_ir_why_warps_depend(kernel, line);
	return why != NULL ? why : kt_ir_why_blocks_stay(kernel, line);
}

/* The dimensions whose extent is free; 0: none, and `why` and *line give what prevents the first one. */
static size_t free_extents(struct extent *extents, const char **why, uint32_t *line, struct kt_ir_offer *offer,
			   const struct kt_ir_module *module)
{
	static const char *const names[] = {"BLOCK", "BLOCK_Y", "BLOCK_Z"};
	const struct kt_ir_function *kernel = module->last_function;
	const bool is_lanes = offer->is_of_warps && is_flat(offer->written->block);
	size_t count = 0;

	*why = NULL;
	for (unsigned d = 0; d < 3; d++) {
		uint32_t at = kernel->line;
		const char *one;

		/* Of rows of warps the lanes are no choice. */
		if ((d == 0 && offer->is_of_warps) || (d > 0 && offer->facts->block[d] == 1 && !is_lanes) ||
		    (d > 1 && is_lanes))
			continue;
		one = why_dependent(offer, kernel, d, &at);
		if (one == NULL && !kt_ir_uses_global_alone(kernel, d))
			one = "threads of a block differ by more than their global index";
		if (one == NULL)
			extents[count++] = (struct extent){
			    .d = d, .name = is_lanes ? names[0] : names[d], .unit = is_lanes ? KT_IR_LANES : 1};
		if (one != NULL && *why == NULL) {
			*why = one;
			*line = at;
		}
	}
	return count;
}

static bool applies(struct kt_ir_offer *offer)
{
	const struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	const size_t guards = offer->guard_count;
	struct extent extents[3];
	struct kt_ir_lets lets;
	const char *why;
	uint32_t line = offer->kernel->line;
	size_t count;

	if (kt_ir_threads_of(offer->facts) == 0)
		return kt_ir_refuses(offer, line,
		                     "the block of the launches is no constant; write block(N) where the program always launches N threads");
	if (offer->kernel->max_threads != 0)
		return kt_ir_refuses(offer, line, "the kernel has launch bounds");
	module = kt_ir_offer_normal(offer);
	if (module == NULL)
		return false;
	kernel = module->last_function;
	count = free_extents(extents, &why, &line, offer, module);
	if (count == 0)
		return kt_ir_refuses(offer, line, "%s", why);
	if (!kt_ir_lets_of(&lets, offer->arena, module, kernel) || !kt_ir_offer_assumptions(offer, kernel)) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, kernel->line, "an assumption about the launch has no words");
	}
	for (size_t i = 0; i < count; i++) {
		extents[i].bound = kt_ir_bound_of(kernel, &lets, extents[i].d);
		extents[i].covered =
		    extents[i].bound == NULL ? NULL : kt_ir_launch_text(offer, &lets, extents[i].bound);
		offer_values(offer, &extents[i]);
	}
	offer_product(offer, extents, count);
	for (size_t i = 0; i < count; i++)
		offer_guards(offer, &extents[i]);
	return kt_ir_applies(offer, "the same indices are divided into other blocks");
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	const kt_status status = kt_ir_variant_normal(variant, err);

	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	return status;
}

const struct kt_ir_pass kt_ir_pass_block_size = {"block_size", applies, transform};
