/*
 * Block coarsening: one block does the work of several blocks, one after the other, with a barrier in between. For kernels whose
 * threads synchronise or share memory, or accumulate in few elements (pass_bins.c); of others one thread does the work of several
 * (pass_items.c).
 *
 * Sound where blocks are independent: no fence, volatile access to memory that others see, barrier of more than the block,
 * ordering atomic, or result of an atomic outside of shared memory is in the kernel, so that no block can wait for another one,
 * and blocks that run one after the other are a launch of the original. All threads of a block come to the end of its
 * work: the kernel has no return in normal form, and no thread passes a barrier by. Variables are those of one block's work:
 * in normal form arguments are not assigned to.
 */
#include <string.h>

#include "generation/ir/bins.h"
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/uniform.h"
#include "generation/ir/walk.h"

/* With copies in shared memory each block begins and ends with all of their elements: there may be many of its elements in between. */
static const int64_t counts[] = {1, 2, 4, 8}, counts_of_bins[] = {1, 4, 16, 64};

struct finding {
	const struct kt_ir_function *kernel;
	const char *why;
	uint32_t line;
};

static bool is_shared(const struct kt_ir_place *place)
{
	return kt_ir_space_of(place) == KT_IR_SPACE_SHARED ||
	       (place->symbol != NULL && place->symbol->kind == KT_IR_SHARED_SYMBOL);
}

static const char *obstacle(const struct kt_ir_function *kernel, const struct kt_ir_statement *s)
{
	const char *why = kt_ir_why_ordered(s);

	if (why != NULL)
		return why;
	switch (s->kind) {
	case KT_IR_S_BARRIER:
		return s->scope != KT_IR_WARP && s->scope != KT_IR_BLOCK_SCOPE ? "blocks synchronise" : NULL;
	case KT_IR_S_ATOMIC:
		return !is_shared(s->place) && s->symbol != NULL && kt_ir_count_reads(&kernel->body, s->symbol) > 0
			   ? "what an atomic returns is used"
			   : NULL;
	case KT_IR_S_STORE:
		if (s->place->symbol != NULL && s->place->symbol->kind == KT_IR_ARGUMENT)
			return "an argument is changed";
		/* fall through */
	case KT_IR_S_LOAD:
		return (kt_ir_statement_effects(s) & KT_IR_VOLATILE) != 0 && !is_shared(s->place) ? "an access is volatile" : NULL;
	default:
		return NULL;
	}
}

static bool is_clear(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;

	f->why = obstacle(f->kernel, s);
	f->line = s->line;
	return f->why == NULL;
}

static bool has_no_address(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_ADDRESS || v->place->symbol == NULL || v->place->symbol->kind != KT_IR_ARGUMENT;
}

static bool is_no_block(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_AXIS || v->axis != KT_IR_BLOCK || v->dimension != 0;
}

/* May a block add to copies of buffers for all the blocks whose work it does? */
static bool has_bins(struct kt_ir_offer *offer, struct kt_ir_module *module, const struct kt_ir_lets *lets)
{
	const size_t guards = offer->guard_count;
	struct kt_ir_bins bins;
	uint32_t line;
	const bool has = kt_ir_is_allowed(offer->facts, "bins") && kt_ir_why_no_bins(&bins, &line, offer, module, lets) == NULL;

	offer->guard_count = guards;
	return has;
}

static bool has_waves(const struct kt_ir_offer *offer)
{
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].name, "WAVES") == 0)
			return true;
	return false;
}

static const char *why_refused(uint32_t *line, struct kt_ir_offer *offer, const struct kt_ir_module *module, const struct kt_ir_lets *lets,
			       bool bins)
{
	const struct kt_ir_function *kernel = module->last_function;
	struct finding f = {.kernel = kernel};
	const struct kt_ir_statement *split;
	struct kt_ir_uniformity u;

	*line = kernel->line;
	if (kt_ir_why_dependent(kernel, line) == NULL && !bins)
		return "threads are independent: items are for them";
	*line = kernel->line;
	if (has_waves(offer))
		return "loops over the grid have any number of blocks";
	if (!kt_ir_visit(&kernel->body, is_clear, &f)) {
		*line = f.line;
		return f.why;
	}
	*line = kernel->line;
	if (kernel->cluster[0] != 0)
		return "the kernel has clusters";
	if (!kt_ir_visit_all(&kernel->body, has_no_address, NULL))
		return "an argument has an address";
	if (kt_ir_visit_all(&kernel->body, is_no_block, NULL))
		return "blocks do not differ";
	if (!kt_ir_uniformity_of(&u, offer->arena, module, kernel))
		return "out of memory";
	split = kt_ir_split_barrier(&u, lets, offer->facts->block);
	if (split != NULL) {
		*line = split->line;
		return "threads may pass a barrier by";
	}
	return kt_ir_offer_assumptions(offer, kernel) ? NULL : "an assumption about the launch has no words";
}

/*
 * Blocks past the end of the written grid have nothing to do, or there are none. Returns the extent of the grid, where the variant has no work
 * past it.
 */
static const struct kt_expr *offer_guards(struct kt_ir_offer *offer, struct kt_ir_module *module, const struct kt_ir_lets *lets, const char *grid)
{
	const struct kt_ir_function *kernel = module->last_function;
	const char *written = kt_ir_written_grid(offer, 0), *block = kt_ir_written_block(offer, 0), *bound = NULL;
	const struct kt_ir_value *value = kt_ir_uses_global_alone(kernel, 0) ? kt_ir_bound_of(kernel, lets, 0) : NULL;

	if (value != NULL)
		bound = kt_ir_launch_text(offer, lets, value);
	if (bound == NULL) {
		/* No other pass has changed it. */
		if (grid == offer->facts->grid[0] && kt_ir_launch_value(module, offer->facts, offer->facts->grid_of_arguments) != NULL)
			return offer->facts->grid_of_arguments;
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) %% BLOCKS == 0", grid), "each block does the work of as many");
		return NULL;
	}
	kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) %% BLOCKS == 0 || %s <= (%s) * (%s)", grid, bound, written, block),
			  "blocks past the end of the grid have nothing to do");
	kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) * (%s) <= 2130706432", written, block),
			  "indices of work items past the end of the grid do not wrap");
	return NULL;
}

static bool applies(struct kt_ir_offer *offer)
{
	const size_t guards = offer->guard_count;
	struct kt_ir_module *module = kt_ir_offer_normal(offer);
	const char *grid = offer->grid[0] == NULL ? "1" : offer->grid[0], *why;
	struct kt_ir_tunable *blocks;
	struct kt_ir_lets lets;
	uint32_t line;
	bool bins;

	if (module == NULL)
		return false;
	if (!kt_ir_lets_of(&lets, offer->arena, module, module->last_function))
		return kt_ir_refuses(offer, offer->kernel->line, "out of memory");
	bins = has_bins(offer, module, &lets);
	why = why_refused(&line, offer, module, &lets, bins);
	if (why != NULL) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, line, "%s", why);
	}
	blocks = kt_ir_offer_values(offer, "BLOCKS", "blocks whose work a block does, one after the other", bins ? counts_of_bins : counts,
				    sizeof counts / sizeof *counts, 1);
	blocks->found = offer_guards(offer, module, &lets, grid);
	offer->grid[0] = kt_ir_offer_text(offer, "ceil_div(%s, BLOCKS)", grid);
	return kt_ir_applies(offer, "blocks are independent, so that they may run one after the other");
}

struct making {
	struct kt_ir_module *module;
	const struct kt_ir_value *block, *grid; /* of the original launch */
};

/* Axes of the original launch. */
static const struct kt_ir_value *original(const struct kt_ir_value *v, void *context)
{
	const struct making *k = context;

	if (v->op != KT_IR_AXIS || v->dimension != 0 || (v->axis != KT_IR_BLOCK && v->axis != KT_IR_GRID_DIM))
		return v;
	return v->axis == KT_IR_GRID_DIM ? k->grid : k->block;
}

/* The loop over the blocks whose work a block does. all: the extent of the original grid; NULL: this many blocks divide it. */
static struct kt_ir_statement *over_blocks(struct making *k, struct kt_ir_region *to, const struct kt_ir_value *all, int64_t count)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_value *block = kt_ir_axis(m, KT_IR_BLOCK, 0), *many = kt_ir_constant(m, block->type, count);
	const struct kt_ir_value *first = kt_ir_apply(m, KT_IR_MUL, block, many, NULL), *zero = kt_ir_constant(m, block->type, 0), *end, *left;
	const struct kt_ir_value *one = kt_ir_constant(m, block->type, 1);
	struct kt_ir_statement *loop;

	k->grid = kt_ir_apply(m, KT_IR_MUL, kt_ir_axis(m, KT_IR_GRID_DIM, 0), many, NULL);
	end = many;
	if (all != NULL) {
		k->grid = kt_ir_read(m, kt_ir_let(m, to, "blocks", all));
		left = kt_ir_read(m, kt_ir_let(m, to, "left", kt_ir_apply(m, KT_IR_SUB, k->grid, first, NULL)));
		end = kt_ir_apply(m, KT_IR_SELECT, kt_ir_apply(m, KT_IR_LT, left, many, NULL), left, many);
	}
	loop = kt_ir_for(m, to, "block", zero, end, one);
	if (loop == NULL)
		return NULL;
	k->block = kt_ir_apply(m, KT_IR_ADD, first, kt_ir_read(m, loop->symbol), NULL);
	/* Written out, it would only be more text. */
	loop->unroll = 1;
	return loop;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	struct kt_ir_module *m = variant->module;
	struct kt_ir_region body = {NULL, NULL};
	const struct kt_ir_tunable *blocks;
	const int64_t count = kt_ir_chosen(&blocks, variant);
	struct making k = {m, NULL, NULL};
	struct kt_ir_statement *loop, *barrier;
	uint32_t line;
	TRY(kt_ir_variant_normal(variant, err));

	loop = over_blocks(&k, &body, kt_ir_launch_value(m, variant->offer->facts, blocks->found), count);
	if (loop == NULL)
		return kt_ir_check(m, err);
	(void)kt_ir_rewrite_region(m, &variant->kernel->body, original, &k);
	loop->body = variant->kernel->body;
	barrier = kt_ir_why_dependent(variant->kernel, &line) != NULL ? kt_ir_append(m, &loop->body, KT_IR_S_BARRIER) : NULL;
	if (barrier != NULL)
		barrier->scope = KT_IR_BLOCK_SCOPE;
	variant->kernel->body = body;
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	return kt_ir_check(m, err);
}

const struct kt_ir_pass kt_ir_pass_blocks = {"blocks", applies, transform};
