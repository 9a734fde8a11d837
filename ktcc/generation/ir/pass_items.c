/*
 * Thread coarsening: a thread does the work of several, whose loads are under way together. Items are neighbours, or
 * have a distance of as many items as the launch has threads; where threads of a block differ by more than their global index,
 * a block
 * does the work of several.
 *
 * Neighbours may be loaded and stored as vectors, in the branch for which all items are within bounds and pointers
 * aligned.
 *
 * Sound where threads are independent: any order of their statements is one in which the original may run. Work items
 * past the end of the original grid do nothing, since their index is past a bound that the grid covers, or there are
 * none.
 */
#include "generation/ir/items.h"

#include <string.h>

#include "generation/ir/independent.h"
#include "generation/ir/jam.h"
#include "generation/ir/normal.h"
#include "generation/ir/uniform.h"
#include "generation/ir/vector.h"
#include "generation/ir/warps.h"

enum { NEIGHBOURS, SPREAD };

static const int64_t counts[] = {1, 2, 4, 8}, placements[] = {NEIGHBOURS, SPREAD}, choices[] = {0, 1};

/* Of the other dimensions neighbours are taken, whose loads are often the same; the distance of blocks is as along x. */
static const char *const names[] = {"ITEMS", "ITEMS_Y", "ITEMS_Z"};

struct sought {
	unsigned dimension;
};

static bool is_no_index(const struct kt_ir_value *v, void *context)
{
	const struct sought *sought = context;
	unsigned d;

	return !kt_ir_is_global(v, &d) || d != sought->dimension;
}

/* Do threads differ by their global index of the dimension, or blocks? */
static bool differs(const struct kt_ir_function *kernel, unsigned d)
{
	struct sought sought = {d};

	return kt_ir_uses_global_alone(kernel, d) ? !kt_ir_visit_all(&kernel->body, is_no_index, &sought)
						  : kt_ir_names_axis(kernel, KT_IR_BLOCK, d);
}

/* Along y and z a warp may do the work of several, where all its lanes come to what they exchange, for each item alike. */
static const char *why_warps_depend(uint32_t *line, const struct kt_ir_offer *offer, const struct kt_ir_module *module)
{
	const char *why = kt_ir_why_warps_depend(module->last_function, line);
	const struct kt_ir_statement *split;
	struct kt_ir_uniformity u;
	struct kt_ir_lets lets;

	if (why != NULL)
		return why;
	if (!kt_ir_lets_of(&lets, offer->arena, module, module->last_function) ||
	    !kt_ir_uniformity_of_rows(&u, offer->arena, module, module->last_function))
		return "out of memory";
	split = kt_ir_split_barrier(&u, &lets, offer->facts->block);
	*line = split == NULL ? *line : split->line;
	return split == NULL ? NULL : "lanes of a warp may pass an exchange by";
}

static bool refuses_kernel(struct kt_ir_offer *offer, const struct kt_ir_module *module, unsigned d)
{
	const struct kt_ir_function *kernel = module->last_function;
	uint32_t line;
	const char *why = kt_ir_why_dependent(kernel, &line);

	if (why != NULL && d > 0 && offer->facts->block[0] > 0 && offer->facts->block[0] % KT_IR_LANES == 0)
		why = why_warps_depend(&line, offer, module);
	if (why != NULL)
		return !kt_ir_refuses(offer, line, "%s", why);
	/* Grid-stride loops have their own choice of threads. */
	if (kt_ir_names_axis(kernel, KT_IR_GRID_DIM, d))
		return !kt_ir_refuses(offer, kernel->line, "the kernel depends on the extent of its grid");
	if (!differs(kernel, d))
		return !kt_ir_refuses(offer, kernel->line, "blocks do not differ");
	return false;
}

static void offer_neighbours(struct kt_ir_offer *offer, bool has_bound)
{
	kt_ir_offer_values(offer, "SPREAD", "0: work items of a thread are neighbours, 1: one grid is between them", placements,
			   sizeof placements / sizeof *placements, NEIGHBOURS);
	kt_ir_offer_restriction(offer, "SPREAD == 0 || ITEMS > 1", "one item is no neighbour of itself");
	if (!has_bound)
		return;
	kt_ir_offer_values(offer, "VECTOR", "1: neighbours are loaded and stored as vectors, where pointers are aligned",
			   choices, sizeof choices / sizeof *choices, 0);
	kt_ir_offer_restriction(offer, "VECTOR == 0 || SPREAD == 0 && ITEMS > 1", "only neighbours are a vector");
}

/* The text of a thread grows with the product of its items, in all dimensions. */
static void offer_product(struct kt_ir_offer *offer, unsigned d)
{
	const char *product = names[d];

	for (size_t i = 0; i < offer->tunable_count; i++)
		for (unsigned other = 0; other < d; other++)
			if (strcmp(offer->tunables[i].name, names[other]) == 0)
				product = kt_ir_offer_text(offer, "%s * %s", product, names[other]);
	if (product != names[d])
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "%s <= %d", product, KT_IR_MOST_ITEMS),
					"more items have no registers");
}

bool kt_ir_offer_items(struct kt_ir_offer *offer, unsigned d)
{
	const struct kt_ir_module *module = kt_ir_offer_normal(offer);
	const struct kt_ir_function *kernel = module == NULL ? NULL : module->last_function;
	const char *grid = kt_ir_written_grid(offer, d), *block = kt_ir_written_block(offer, d), *bound = NULL;
	const size_t guards = offer->guard_count;
	const struct kt_ir_value *value;
	struct kt_ir_lets lets;
	bool is_global;

	if (kernel == NULL || refuses_kernel(offer, module, d))
		return false;
	if (!kt_ir_lets_of(&lets, offer->arena, module, kernel))
		return kt_ir_refuses(offer, kernel->line, "out of memory");
	is_global = kt_ir_uses_global_alone(kernel, d);
	value = is_global ? kt_ir_bound_of(kernel, &lets, d) : NULL;
	if (value != NULL)
		bound = kt_ir_launch_text(offer, &lets, value);
	if (!kt_ir_offer_assumptions(offer, kernel)) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, kernel->line, "an assumption about the launch has no words");
	}
	kt_ir_offer_values(offer, names[d], "work items of a thread, or blocks of a block", counts,
			   sizeof counts / sizeof *counts, 1)
	    ->is_repeated = true;
	if (is_global && d == 0)
		offer_neighbours(offer, value != NULL);
	offer_product(offer, d);
	kt_ir_offer_guard(offer,
			  bound == NULL ? kt_ir_offer_text(offer, "(%s) %% %s == 0", grid, names[d])
					: kt_ir_offer_text(offer, "(%s) %% %s == 0 || %s <= (%s) * (%s)", grid, names[d],
							   bound, grid, block),
			  "work items past the end of the grid have nothing to do");
	kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) * (%s) <= 2130706432", grid, block),
			  "indices of work items past the end of the grid do not wrap");
	offer->grid[d] = kt_ir_offer_text(offer, "ceil_div(%s, %s)", grid, names[d]);
	return kt_ir_applies(offer, "threads are independent, so that one may do the work of several");
}

static bool applies(struct kt_ir_offer *offer)
{
	return kt_ir_offer_items(offer, 0);
}

/* ---- The variant ---- */

struct item {
	struct kt_ir_module *module;
	int64_t number, count;
	unsigned dimension;
	bool is_global, is_spread;
};

static const struct kt_ir_value *wide(const struct item *i, enum kt_ir_axis axis, const struct kt_ir_type *type)
{
	return kt_ir_convert(i->module, kt_ir_axis(i->module, axis, i->dimension), type, KT_IR_AS_VALUE);
}

static const struct kt_ir_value *moved(const struct kt_ir_value *v, void *context)
{
	const struct item *i = context;
	struct kt_ir_module *m = i->module;
	const struct kt_ir_value *number = NULL, *stride;
	unsigned d;

	if (i->is_global ? !kt_ir_is_global(v, &d) || d != i->dimension
			 : v->op != KT_IR_AXIS || v->axis != KT_IR_BLOCK || v->dimension != i->dimension)
		return v;
	number = kt_ir_constant(m, v->type, i->number);
	if (i->is_global && !i->is_spread)
		return kt_ir_apply(m, KT_IR_ADD,
				   kt_ir_apply(m, KT_IR_MUL, v, kt_ir_constant(m, v->type, i->count), NULL), number,
				   NULL);
	stride = wide(i, KT_IR_GRID_DIM, v->type);
	if (i->is_global)
		stride = kt_ir_apply(m, KT_IR_MUL, stride, wide(i, KT_IR_BLOCK_DIM, v->type), NULL);
	return i->number == 0 ? v : kt_ir_apply(m, KT_IR_ADD, v, kt_ir_apply(m, KT_IR_MUL, stride, number, NULL), NULL);
}

kt_status kt_ir_jam_items(struct kt_ir_variant *variant, unsigned d, struct kt_error *err)
{
	const int64_t count = kt_ir_chosen_of(variant, names[d]);
	struct kt_ir_module *m = variant->module;
	struct item items[KT_IR_MOST_ITEMS];
	struct kt_ir_jam jam = {.module = m, .count = (size_t)count};
	struct kt_ir_region body = {NULL, NULL};
	bool is_global;
	kt_status status = kt_ir_variant_normal(variant, err);

	if (status != KT_OK || count <= 1)
		return status;
	is_global = kt_ir_uses_global_alone(variant->kernel, d);
	for (int64_t i = 0; i < count; i++) {
		items[i] = (struct item){m, i, count, d, is_global, kt_ir_chosen_of(variant, "SPREAD") == SPREAD};
		if (!kt_ir_cloner_start(&jam.items[i], m, moved, &items[i]))
			return kt_ir_check(m, err);
	}
	kt_ir_jam_region(&jam, &body, &variant->kernel->body);
	variant->kernel->body = body;
	for (size_t i = 0; i < jam.split_count && kt_ir_chosen_of(variant, "VECTOR") != 0 && !m->failed; i++)
		(void)kt_ir_vectorize(m, variant->kernel, jam.splits[i], NULL);
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	(void)kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL);
	return kt_ir_check(m, err);
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	return kt_ir_jam_items(variant, 0, err);
}

const struct kt_ir_pass kt_ir_pass_items = {"items", applies, transform};
