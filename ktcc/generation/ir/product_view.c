/*
 * A kernel whose results have two indices, in whichever way they are made of a block, a thread and results of a thread: digits of
 * an index of one dimension, blocks whose dimensions are exchanged, parts that lets hold. Seen so, its indices are global ones.
 */
#include "generation/ir/product_view.h"

#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/product_flat.h"
#include "generation/ir/product_results.h"
#include "generation/ir/product_wide.h"
#include "generation/ir/walk.h"

#include <string.h>

enum { X, Y, Z };

/* ---- Blocks ---- */

struct seeing {
	struct kt_ir_module *module;
	const int64_t *block; /* in the source */
	bool exchanges;
};

static const struct kt_ir_value *seen(const struct kt_ir_value *v, void *context)
{
	const struct seeing *s = context;

	if (v->op != KT_IR_AXIS || v->dimension == Z)
		return v;
	if (v->axis == KT_IR_BLOCK_DIM)
		return kt_ir_constant(s->module, v->type, s->block[v->dimension]);
	return s->exchanges && (v->axis == KT_IR_BLOCK || v->axis == KT_IR_GRID_DIM) ? kt_ir_axis(s->module, v->axis, 1 - v->dimension) : v;
}

static bool finish(struct kt_ir_product_view *view, struct kt_ir_module *m)
{
	(void)kt_ir_join_axes(m, view->block);
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	while (!m->failed && kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL))
		continue;
	return !m->failed;
}

static bool is_seen(const struct kt_ir_module *m)
{
	return kt_ir_uses_global_alone(m->last_function, X) && kt_ir_uses_global_alone(m->last_function, Y);
}

static bool is_no_array(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_DECLARE || s->symbol->type->kind != KT_IR_ARRAY;
}

/* The kernel with or without its blocks exchanged; false: its results differ by more than two indices. */
static bool see(struct kt_ir_product_view *view, struct kt_ir_module *m, const int64_t block[3], bool exchanges)
{
	struct kt_ir_product_items items;
	struct seeing s = {m, block, exchanges};

	*view = (struct kt_ir_product_view){.block = {block[X], block[Y], block[Z]}, .grid = {exchanges ? Y : X, exchanges ? X : Y}};
	(void)kt_ir_rewrite_region(m, &m->last_function->body, seen, &s);
	kt_ir_product_forward(m, view->block);
	kt_ir_product_join_quotients(m, view->block);
	kt_ir_product_widen(view, m);
	if (!kt_ir_product_separate(view, &items, m)) {
		view->why = "results of a thread need each other, or no loops over an array number them";
		return false;
	}
	if (!kt_ir_product_join_digits(view, m, &items)) {
		view->why = items.number == NULL ? NULL : "results of a thread are not at rows and columns of what is stored";
		return false;
	}
	return finish(view, m) && is_seen(m);
}

static bool is_no_loop(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_FOR;
}

/* No copy is made of a kernel that is no product in any view. */
static bool may_be_product(const struct kt_ir_function *kernel)
{
	uint32_t line;

	return kt_ir_why_dependent(kernel, &line) == NULL && !kt_ir_visit(&kernel->body, is_no_loop, NULL);
}

/* Adds what was assumed before; false: that is too much. */
static bool add(struct kt_ir_product_view *view, const struct kt_ir_product_view *before)
{
	if (view->assumed_count + before->assumed_count > KT_IR_VIEW_MOST_ASSUMED ||
	    view->apart.count + before->apart.count > KT_IR_MOST_APART)
		return false;
	for (size_t i = 0; i < before->assumed_count; i++)
		view->assumed[view->assumed_count++] = before->assumed[i];
	for (size_t i = 0; i < before->apart.count; i++)
		memcpy(view->apart.pairs[view->apart.count++], before->apart.pairs[i], sizeof *before->apart.pairs);
	return true;
}

struct kt_ir_module *kt_ir_product_see(struct kt_ir_product_view *view, struct kt_ir_module *module, const int64_t block[3])
{
	const struct kt_ir_product_view written = {.block = {block[X], block[Y], block[Z]}, .grid = {X, Y}};
	struct kt_ir_product_view before = written;
	struct kt_ir_module *copy;

	kt_ir_count_up(module);
	*view = written;
	if (!may_be_product(module->last_function))
		return module;
	kt_ir_product_prepare(&before, module, block);
	copy = kt_ir_copy(module, module->arena, false);
	if (copy != NULL && kt_ir_product_unflatten(view, copy, block) && finish(view, copy) && add(view, &before))
		return copy;
	*view = before;
	if (is_seen(module) && kt_ir_visit(&module->last_function->body, is_no_array, NULL))
		return module;
	for (int exchanges = 0; exchanges < 2; exchanges++) {
		struct kt_ir_product_view other;

		copy = kt_ir_copy(module, module->arena, false);
		if (copy != NULL && see(&other, copy, block, exchanges != 0) && add(&other, &before)) {
			*view = other;
			return copy;
		}
		view->why = copy == NULL ? NULL : other.why;
	}
	return module;
}
