/*
 * A kernel whose threads have two indices, in whichever way they are made of a thread and a block: quotient and remainder of an index
 * of one dimension, blocks whose dimensions are exchanged, parts that lets hold. Seen so, its indices are global ones.
 */
#include "generation/ir/product_view.h"

#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/product_flat.h"
#include "generation/ir/product_wide.h"
#include "generation/ir/walk.h"

enum { X, Y, Z };

/* ---- Quotient and remainder of thread.x ---- */

struct digits {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	int64_t divisor; /* 0: none yet, -1: several */
};

/* Is it thread.x, maybe as another integer that holds it? */
static bool is_thread(const struct digits *d, const struct kt_ir_value *v)
{
	v = kt_ir_behind_let(&d->lets, v);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= 32)
		v = kt_ir_behind_let(&d->lets, v->arguments[0]);
	return v->op == KT_IR_AXIS && v->axis == KT_IR_THREAD && v->dimension == X;
}

/* What thread.x is divided by; 0: the value is no quotient or remainder of it. */
static int64_t divisor_of(const struct digits *d, const struct kt_ir_value *v, bool *is_rest)
{
	int64_t number;

	if ((v->op != KT_IR_DIV && v->op != KT_IR_REM && v->op != KT_IR_SHR && v->op != KT_IR_AND) ||
	    !kt_ir_is_constant(v->arguments[1], &number) || number <= 0 || !is_thread(d, v->arguments[0]))
		return 0;
	*is_rest = v->op == KT_IR_REM || v->op == KT_IR_AND;
	if (v->op == KT_IR_SHR)
		return number < 16 ? (int64_t)1 << number : 0;
	if (v->op == KT_IR_AND)
		return (number & (number + 1)) == 0 ? number + 1 : 0;
	return number;
}

static bool find_divisor(const struct kt_ir_value *v, void *context)
{
	struct digits *d = context;
	bool is_rest;
	const int64_t number = divisor_of(d, v, &is_rest);

	if (number > 0)
		d->divisor = d->divisor == 0 || d->divisor == number ? number : -1;
	return true;
}

/* Along z there is one thread: its index is that of the remainder meanwhile. */
static const struct kt_ir_value *digit(const struct kt_ir_value *v, void *context)
{
	const struct digits *d = context;
	bool is_rest;

	if (divisor_of(d, v, &is_rest) != d->divisor)
		return v;
	return kt_ir_convert(d->module, kt_ir_axis(d->module, KT_IR_THREAD, is_rest ? Z : Y), v->type, KT_IR_AS_VALUE);
}

static const struct kt_ir_value *whole(const struct kt_ir_value *v, void *context)
{
	const struct digits *d = context;
	struct kt_ir_module *m = d->module;
	const struct kt_ir_value *row;

	if (v->op != KT_IR_AXIS || v->axis != KT_IR_THREAD || v->dimension != X)
		return v;
	row = kt_ir_apply(m, KT_IR_MUL, kt_ir_axis(m, KT_IR_THREAD, Y), kt_ir_constant(m, v->type, d->divisor), NULL);
	return kt_ir_apply(m, KT_IR_ADD, row, kt_ir_axis(m, KT_IR_THREAD, Z), NULL);
}

static const struct kt_ir_value *remainder_first(const struct kt_ir_value *v, void *context)
{
	const struct digits *d = context;

	return v->op == KT_IR_AXIS && v->axis == KT_IR_THREAD && v->dimension == Z ? kt_ir_axis(d->module, KT_IR_THREAD, X) : v;
}

/* Rows of one dimension become two. */
static void see_rows(struct kt_ir_product_view *view, struct kt_ir_module *m)
{
	struct kt_ir_region *body = &m->last_function->body;
	struct digits d = {.module = m};

	if (view->block[X] <= 0 || view->block[Y] != 1 || !kt_ir_lets_of(&d.lets, m->arena, m, m->last_function))
		return;
	(void)kt_ir_visit_all(body, find_divisor, &d);
	if (d.divisor <= 1 || view->block[X] % d.divisor != 0)
		return;
	(void)kt_ir_rewrite_region(m, body, digit, &d);
	(void)kt_ir_rewrite_region(m, body, whole, &d);
	(void)kt_ir_rewrite_region(m, body, remainder_first, &d);
	view->block[Y] = view->block[X] / d.divisor;
	view->block[X] = d.divisor;
}

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

/* The kernel with or without its blocks exchanged; false: its threads differ by more than two indices. */
static bool see(struct kt_ir_product_view *view, struct kt_ir_module *m, const int64_t block[3], bool exchanges)
{
	struct seeing s = {m, block, exchanges};

	*view = (struct kt_ir_product_view){.block = {block[X], block[Y], block[Z]}, .grid = {exchanges ? Y : X, exchanges ? X : Y}};
	(void)kt_ir_rewrite_region(m, &m->last_function->body, seen, &s);
	see_rows(view, m);
	kt_ir_product_widen(view, m);
	return finish(view, m) && is_seen(m);
}

struct kt_ir_module *kt_ir_product_see(struct kt_ir_product_view *view, struct kt_ir_module *module, const int64_t block[3])
{
	struct kt_ir_module *flat = kt_ir_copy(module, module->arena, false);

	kt_ir_count_up(module);
	if (flat != NULL && kt_ir_product_unflatten(view, flat, block) && finish(view, flat))
		return flat;
	for (int exchanges = 0; exchanges < 2 && !is_seen(module) && block[X] > 0 && block[Y] > 0 && block[Z] == 1; exchanges++) {
		struct kt_ir_module *copy = kt_ir_copy(module, module->arena, false);

		if (copy != NULL && see(view, copy, block, exchanges != 0))
			return copy;
	}
	*view = (struct kt_ir_product_view){.block = {block[X], block[Y], block[Z]}, .grid = {X, Y}};
	return module;
}
