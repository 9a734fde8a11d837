/*
 * Which thread has which iterations of loops that are distributed over a block or over the grid: how many it has side by side,
 * as neighbours or with the number of threads as distance, with vector access; how large a block is; and, of loops over the
 * grid, how many blocks there are.
 *
 * Sound where no iteration depends on another one (distributed.h). Guards keep indices from wrapping.
 */
#include "generation/ir/cooperate.h"
#include "generation/ir/distributed.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/vector.h"
#include "generation/ir/widen.h"

enum { NEIGHBOURS, SPREAD, MOST_THREADS = 1024 };

static const int64_t counts[] = {1, 2, 4, 8}, placements[] = {NEIGHBOURS, SPREAD}, choices[] = {0, 1},
		     sizes[] = {64, 128, 256, 512, 1024}, waves[] = {0, 1, 2, 4, 8};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- The offer ---- */

/* Threads of a block of one dimension; 0: not known, or other uses fix them. */
static int64_t free_block(const struct kt_ir_offer *offer)
{
	const int64_t *block = offer->facts->block;

	return block[0] > 0 && block[0] <= MOST_THREADS && block[1] == 1 && block[2] == 1 && offer->kernel->max_threads == 0
		   ? block[0]
		   : 0;
}

static void offer_block(struct kt_ir_offer *offer, int64_t block)
{
	int64_t values[1 + COUNT(sizes)] = {block};
	size_t count = 1;

	for (size_t i = 0; i < COUNT(sizes); i++)
		if (sizes[i] != block)
			values[count++] = sizes[i];
	kt_ir_offer_values(offer, "BLOCK", "threads of a block", values, count, block);
	kt_ir_offer_restriction(offer, "BLOCK <= device.max_threads_per_block", "a block holds no more threads");
	offer->blocks[0] = "BLOCK";
}

static const char held[] = "device.multiprocessors * max(1, device.max_threads_per_multiprocessor / BLOCK) * WAVES";

/* As many blocks as the device holds at a time, WAVES times, or as many as have an iteration. high: NULL: it has no words. */
static void offer_grid(struct kt_ir_offer *offer, const char *high)
{
	kt_ir_offer_values(offer, "WAVES", "blocks of the grid, in multiples of what the device holds at a time; 0: unchanged", waves,
			   COUNT(waves), 0);
	offer->grid[0] = high == NULL
			     ? kt_ir_offer_text(offer, "WAVES == 0 ? (%s) : %s", kt_ir_written_grid(offer, 0), held)
			     : kt_ir_offer_text(offer, "WAVES == 0 ? (%s) : max(1, min(ceil_div(%s, BLOCK * STEPS), %s))",
						kt_ir_written_grid(offer, 0), high, held);
}

static void offer_steps(struct kt_ir_offer *offer)
{
	kt_ir_offer_values(offer, "STEPS", "iterations of a distributed loop that a thread has side by side", counts,
			   COUNT(counts), 1)->is_repeated = true;
	kt_ir_offer_values(offer, "STEP_SPREAD", "0: they are neighbours, 1: the number of threads is between them", placements,
			   COUNT(placements), NEIGHBOURS);
	kt_ir_offer_restriction(offer, "STEP_SPREAD == 0 || STEPS > 1", "one iteration is no neighbour of itself");
	kt_ir_offer_values(offer, "STEP_VECTOR", "1: neighbours are loaded and stored as vectors, where pointers are aligned",
			   choices, COUNT(choices), 0);
	kt_ir_offer_restriction(offer, "STEP_VECTOR == 0 || STEP_SPREAD == 0 && STEPS > 1", "only neighbours are a vector");
}

struct kernel {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	struct kt_ir_distribution d;
};

/* Bounds in words; NULL where one has none; false: one of 32 bits has none. */
static bool read_bounds(struct kt_ir_offer *offer, const struct kernel *k, const char **bounds)
{
	for (size_t i = 0; i < k->d.count; i++) {
		bounds[i] = kt_ir_launch_text(offer, &k->lets, k->d.loops[i]->further[0]);
		if (bounds[i] == NULL && k->d.loops[i]->symbol->type->bits < 64)
			return false;
	}
	return true;
}

/* Neither the index of a loop nor the thread's own wraps in 32 bits, in the original launch and in that of the variant. */
static void guard_indices(struct kt_ir_offer *offer, const struct kernel *k, const char *const *bounds)
{
	const bool is_grid = k->d.over == KT_IR_OVER_GRID;
	const char *written = kt_ir_written_grid(offer, 0), *grid = "1";
	const char *block = offer->blocks[0] == NULL ? "1" : offer->blocks[0];

	if (is_grid)
		grid = free_block(offer) == 0 ? written : kt_ir_offer_text(offer, "max(%s, %s)", written, held);

	if (is_grid)
		kt_ir_offer_guard(offer,
				  kt_ir_offer_text(offer, "(%s) * (%s) <= 2147483647", written,
						   kt_ir_written_block(offer, 0)),
				  "indices of threads do not wrap");
	for (size_t i = 0; i < k->d.count; i++)
		if (k->d.loops[i]->symbol->type->bits < 64)
			kt_ir_offer_guard(offer,
					  kt_ir_offer_text(offer, "max(0, %s) + (%s) * (%s) * STEPS <= 2147483647", bounds[i],
							   grid, block),
					  "indices of loops do not wrap");
}

/* The kernel as loops that are distributed, with totals between them. NULL: it is; else why not, and where. */
static const char *distribute(uint32_t *line, struct kt_ir_module *module, const struct kt_ir_offer *offer)
{
	struct kt_ir_function *kernel = module->last_function;
	const int64_t *block = offer->facts->block;
	const char *why;

	*line = kernel->line;
	if (!kt_ir_join_chunks(module, kernel, block[0]))
		return "out of memory";
	why = kt_ir_cooperate(line, module, kernel, block);
	if (why == NULL && block[1] == 1 && block[2] == 1 && !kt_ir_loop_elements(module, kernel, block[0]))
		why = "out of memory";
	return why;
}

/* The condition under which the pass changes nothing. */
static const char *unless(struct kt_ir_offer *offer, int64_t block, enum kt_ir_over over)
{
	const char *waves_too = over == KT_IR_OVER_GRID ? " && WAVES == 0" : "";

	return block == 0 ? "STEPS == 1"
			  : kt_ir_offer_text(offer, "STEPS == 1 && BLOCK == %lld%s", (long long)block, waves_too);
}

static const char *why_refused(uint32_t *line, struct kt_ir_offer *offer, struct kernel *k, const char ***bounds)
{
	const struct kt_ir_function *kernel = k->module->last_function;
	const size_t guards = offer->guard_count;
	const char *why = distribute(line, k->module, offer);

	if (why != NULL)
		return why;
	*line = kernel->line;
	if (!kt_ir_lets_of(&k->lets, offer->arena, k->module, kernel))
		return "out of memory";
	why = kt_ir_why_bound_to_threads(&k->d, line, offer, k->module, &k->lets, "");
	if (why != NULL)
		return why;
	/* Again, with the words that the kind of its loops allows. */
	offer->guard_count = guards;
	(void)kt_ir_why_bound_to_threads(&k->d, line, offer, k->module, &k->lets,
					 unless(offer, free_block(offer), k->d.over));
	if (!kt_ir_offer_assumptions(offer, kernel))
		return "an assumption about the launch has no words";
	*bounds = kt_arena_array(offer->arena, k->d.count, sizeof **bounds);
	if (*bounds != NULL && read_bounds(offer, k, *bounds))
		return NULL;
	*line = k->d.loops[0]->line;
	return "the bound of a distributed loop has no words";
}

static bool applies(struct kt_ir_offer *offer)
{
	const size_t guards = offer->guard_count;
	const int64_t block = free_block(offer);
	struct kernel k = {.module = kt_ir_offer_normal(offer)};
	const char *why, **bounds = NULL;
	uint32_t line;

	if (k.module == NULL)
		return false;
	why = why_refused(&line, offer, &k, &bounds);
	if (why != NULL) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, line, "%s", why);
	}
	offer_steps(offer);
	if (block != 0)
		offer_block(offer, block);
	if (block != 0 && k.d.over == KT_IR_OVER_GRID)
		offer_grid(offer, bounds[0]);
	guard_indices(offer, &k, bounds);
	return kt_ir_applies(offer, "iterations do not depend on each other, so that any thread may have any of them");
}

/* ---- The variant ---- */

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	struct kt_ir_module *m = variant->module;
	struct kt_ir_widening k = {.module = m, .block = variant->offer->facts->block[0], .count = kt_ir_chosen_of(variant, "STEPS"),
			   .is_spread = kt_ir_chosen_of(variant, "STEP_SPREAD") == SPREAD,
			   .is_vector = kt_ir_chosen_of(variant, "STEP_VECTOR") != 0};
	TRY(kt_ir_variant_normal(variant, err));

	uint32_t line;

	if (distribute(&line, m, variant->offer) != NULL)
		return kt_fail(err, KT_ERR_INVALID, "an exchange between threads is not what was offered");
	if (!kt_ir_lets_of(&k.lets, m->arena, m, variant->kernel))
		return kt_no_memory(err);
	kt_ir_widen(&k, &variant->kernel->body);
	for (size_t i = 0; i < k.split_count && k.is_vector && !m->failed; i++)
		(void)kt_ir_vectorize(m, variant->kernel, k.splits[i].branch,
				      k.splits[i].ahead.aligned != NULL ? &k.splits[i].ahead : NULL);
	if (kt_ir_has_totals(&variant->kernel->body))
		kt_ir_expand_totals(m, variant->kernel,
				    free_block(variant->offer) != 0 ? kt_ir_chosen_of(variant, "BLOCK") : kt_ir_cooperating(variant->offer->facts->block));
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	(void)kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL);
	return kt_ir_check(m, err);
}

const struct kt_ir_pass kt_ir_pass_stride = {"stride", applies, transform};
