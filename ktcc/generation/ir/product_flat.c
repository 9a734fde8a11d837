/*
 * A thread for each result, in one dimension: `row = i / n`, `column = i % n` of `i < m * n`. Each i is one row below m and one
 * column below n, so that columns may be counted along x and rows along y.
 */
#include "generation/ir/product_flat.h"

#include "generation/ir/bounds.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

enum { X, Y, Z };

struct flat {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	const struct kt_ir_value *columns, *rows; /* arguments; NULL: not found yet */
	bool is_other; /* it is divided by something else, too */
};

/* What lets hold, without conversions that keep numbers from 0 to 2^31 - 1. */
static const struct kt_ir_value *bare(const struct flat *f, const struct kt_ir_value *v)
{
	v = kt_ir_behind_let(&f->lets, v);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= 32 &&
	       v->arguments[0]->type->kind == KT_IR_INTEGER)
		v = kt_ir_behind_let(&f->lets, v->arguments[0]);
	return v;
}

static bool is_index(const struct flat *f, const struct kt_ir_value *v)
{
	unsigned d;

	return kt_ir_is_global(bare(f, v), &d) && d == X;
}

static bool is_argument(const struct flat *f, const struct kt_ir_value *v)
{
	return v->op == KT_IR_READ && v->symbol->kind == KT_IR_ARGUMENT && v->type->bits == 32 && f->lets.sets[v->symbol->id] == 0;
}

static bool is_division(const struct flat *f, const struct kt_ir_value *v)
{
	return (v->op == KT_IR_DIV || v->op == KT_IR_REM) && v->type->kind == KT_IR_INTEGER && is_index(f, v->arguments[0]);
}

static bool find_columns(const struct kt_ir_value *v, void *context)
{
	struct flat *f = context;
	const struct kt_ir_value *by = is_division(f, v) ? bare(f, v->arguments[1]) : NULL;

	if (by == NULL)
		return true;
	f->is_other |= !is_argument(f, by) || (f->columns != NULL && !kt_ir_same(by, f->columns));
	f->columns = by;
	return true;
}

/* What the columns are multiplied with in `i < m * n`; NULL: the value is no such comparison. */
static const struct kt_ir_value *rows_of(const struct flat *f, const struct kt_ir_value *v)
{
	const struct kt_ir_term *t;
	struct kt_ir_form form;
	unsigned of_columns;

	if (v->op != KT_IR_LT || !is_index(f, v->arguments[0]) || !kt_ir_form_of(&form, &f->lets, v->arguments[1], false))
		return NULL;
	t = &form.terms[0];
	if (form.bits != 128 || form.constant != 0 || form.count != 1 || t->factor != 1 || t->count != 2)
		return NULL;
	of_columns = kt_ir_same(t->atoms[0], f->columns) ? 0 : 1;
	return kt_ir_same(t->atoms[of_columns], f->columns) && is_argument(f, t->atoms[1 - of_columns]) ? t->atoms[1 - of_columns] : NULL;
}

/* The comparison around all that the kernel changes. */
static bool find_rows(struct flat *f, const struct kt_ir_function *kernel)
{
	const struct kt_ir_statement *branch = kernel->body.last;
	struct kt_ir_conjuncts all;

	for (const struct kt_ir_statement *s = kernel->body.first; s != branch; s = s->next)
		if (s->kind != KT_IR_S_LET && s->kind != KT_IR_S_DECLARE && s->kind != KT_IR_S_SET)
			return false;
	if (branch == NULL || branch->kind != KT_IR_S_IF || branch->otherwise.first != NULL)
		return false;
	kt_ir_conjuncts_of(&all, &f->lets, branch->value);
	for (size_t i = 0; i < all.count && f->rows == NULL; i++)
		f->rows = rows_of(f, all.list[i]);
	return f->rows != NULL;
}

/* Columns are counted along z meanwhile. */
static const struct kt_ir_value *index_of(const struct flat *f, unsigned d, const struct kt_ir_type *type)
{
	return kt_ir_global_index(f->module, d, type);
}

static const struct kt_ir_value *divided(const struct kt_ir_value *v, void *context)
{
	const struct flat *f = context;
	struct kt_ir_module *m = f->module;

	if (is_division(f, v))
		return index_of(f, v->op == KT_IR_REM ? Z : Y, v->type);
	if (rows_of(f, v) == NULL)
		return v;
	return kt_ir_apply(m, KT_IR_BOTH, kt_ir_apply(m, KT_IR_LT, index_of(f, Y, f->rows->type), f->rows, NULL),
			   kt_ir_apply(m, KT_IR_LT, index_of(f, Z, f->columns->type), f->columns, NULL), NULL);
}

static const struct kt_ir_value *whole(const struct kt_ir_value *v, void *context)
{
	const struct flat *f = context;
	struct kt_ir_module *m = f->module;
	unsigned d;

	if (!kt_ir_is_global(v, &d) || d != X)
		return v;
	return kt_ir_apply(m, KT_IR_ADD,
			   kt_ir_apply(m, KT_IR_MUL, index_of(f, Y, v->type), kt_ir_convert(m, f->columns, v->type, KT_IR_AS_VALUE), NULL),
			   index_of(f, Z, v->type), NULL);
}

static const struct kt_ir_value *columns_first(const struct kt_ir_value *v, void *context)
{
	const struct flat *f = context;
	unsigned d;

	return kt_ir_is_global(v, &d) && d == Z ? index_of(f, X, v->type) : v;
}

static const struct kt_ir_value *wide(const struct flat *f, const struct kt_ir_value *v)
{
	return kt_ir_convert(f->module, v, kt_ir_integer(f->module, 64, true), KT_IR_AS_VALUE);
}

/* There are columns, and the launch has a thread for each result, whose index is a number from zero on. */
static void assume(struct kt_ir_product_view *view, const struct flat *f, const int64_t block[3])
{
	struct kt_ir_module *m = f->module;
	const struct kt_ir_type *type = kt_ir_integer(m, 64, true);
	const struct kt_ir_value *results = kt_ir_apply(m, KT_IR_MUL, wide(f, f->rows), wide(f, f->columns), NULL),
				 *threads = kt_ir_apply(m, KT_IR_MUL, wide(f, kt_ir_axis(m, KT_IR_GRID_DIM, X)), kt_ir_constant(m, type, block[X]), NULL);

	view->assumed[0] = kt_ir_apply(m, KT_IR_LE, kt_ir_constant(m, type, 1), wide(f, f->columns), NULL);
	view->assumed[1] = kt_ir_apply(m, KT_IR_LE, kt_ir_constant(m, type, 1), wide(f, f->rows), NULL);
	view->assumed[2] = kt_ir_apply(m, KT_IR_LE, results, threads, NULL);
	view->assumed[3] = kt_ir_apply(m, KT_IR_LE, threads, kt_ir_constant(m, type, INT32_MAX), NULL);
	view->assumed_count = 4;
	view->extent[X] = wide(f, f->columns);
	view->extent[Y] = wide(f, f->rows);
}

bool kt_ir_product_unflatten(struct kt_ir_product_view *view, struct kt_ir_module *m, const int64_t block[3])
{
	struct kt_ir_region *body = &m->last_function->body;
	struct flat f = {.module = m};

	if (block[X] <= 0 || block[Y] != 1 || !kt_ir_lets_of(&f.lets, m->arena, m, m->last_function) ||
	    !kt_ir_uses_global_alone(m->last_function, X) || !kt_ir_uses_global_alone(m->last_function, Y))
		return false;
	(void)kt_ir_visit_all(body, find_columns, &f);
	if (f.columns == NULL || f.is_other || !find_rows(&f, m->last_function))
		return false;
	*view = (struct kt_ir_product_view){.block = {0, 0, 1}, .grid = {X, Y}};
	assume(view, &f, block);
	(void)kt_ir_rewrite_region(m, body, divided, &f);
	(void)kt_ir_rewrite_region(m, body, whole, &f);
	(void)kt_ir_rewrite_region(m, body, columns_first, &f);
	return !m->failed;
}
