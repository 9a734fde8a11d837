/*
 * Quotients and remainders of sums: (x * c + y) / c is x, and its remainder y, where y is one of 0 … c − 1. x / b / c is x / (b * c).
 * Sums of a remainder and what its quotient stands for: x % c + x / c * c is x, and x % b + x / b % c * b is x % (b * c), with whatever
 * both are multiplied.
 */
#include "generation/ir/bounds.h"
#include "generation/ir/normal.h"
#include "generation/ir/product_results.h"
#include "generation/ir/walk.h"

struct whole {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	struct kt_ir_bounds bounds;
};

/* ---- Quotients of sums ---- */

static bool is_below(const struct whole *w, const struct kt_ir_form *form, int64_t end)
{
	const struct kt_ir_range range = kt_ir_range_of_form(&w->bounds, form);

	return range.least >= 0 && range.greatest < end;
}

/* Is it x op by, of natural numbers, where by is a constant? */
static const struct kt_ir_value *operand_of(const struct whole *w, const struct kt_ir_value *v, enum kt_ir_op op, int64_t *by)
{
	v = kt_ir_behind_let(&w->lets, v);
	return v->op == op && v->type->kind == KT_IR_INTEGER && kt_ir_is_constant(v->arguments[1], by) && *by > 1 && *by <= INT16_MAX &&
		       kt_ir_range_of(&w->bounds, v->arguments[0]).least >= 0
		   ? v->arguments[0]
		   : NULL;
}

/* The quotient, or the remainder, of a sum; NULL: the sum cannot be split so. */
static const struct kt_ir_value *split(const struct whole *w, const struct kt_ir_value *x, int64_t by, bool is_rest, const struct kt_ir_type *type)
{
	struct kt_ir_form form, parts[2] = {{.bits = 128}, {.bits = 128}};

	if (!kt_ir_form_of(&form, &w->lets, x, false) || form.count < 2 || form.constant < 0 || !is_below(w, &form, INT32_MAX))
		return NULL;
	parts[0].constant = form.constant / by;
	parts[1].constant = form.constant % by;
	for (size_t i = 0; i < form.count; i++) {
		struct kt_ir_term t = form.terms[i];
		const int part = t.factor % by != 0;

		t.factor = part == 0 ? t.factor / by : t.factor;
		if (!kt_ir_sum_add_term(&parts[part], &t))
			return NULL;
	}
	return is_below(w, &parts[1], by) ? kt_ir_fold_all(w->module, kt_ir_sum_value(w->module, &parts[is_rest], type)) : NULL;
}

static const struct kt_ir_value *divided(const struct kt_ir_value *v, void *context)
{
	const struct whole *w = context;
	const struct kt_ir_value *x, *inner, *made;
	int64_t by, before;

	if (v->op != KT_IR_DIV && v->op != KT_IR_REM)
		return v;
	x = operand_of(w, v, v->op, &by);
	if (x == NULL)
		return v;
	inner = v->op == KT_IR_DIV && x->type == v->type ? operand_of(w, x, KT_IR_DIV, &before) : NULL;
	if (inner != NULL) {
		x = inner;
		by *= before;
		v = kt_ir_apply(w->module, KT_IR_DIV, x, kt_ir_constant(w->module, x->type, by), NULL);
	}
	made = v == NULL ? NULL : split(w, x, by, v->op == KT_IR_REM, v->type);
	return made != NULL ? made : v;
}

/* ---- Sums of quotients ---- */

/* A term of which an atom is a remainder. */
struct remainder {
	size_t term;
	unsigned atom;
	const struct kt_ir_value *x;
	int64_t by;
};

/* Is the other term the remainder's times its quotient, whole or in part? *joined: what both are together, in place of x % by. */
static bool is_quotient(const struct kt_ir_value **joined, const struct whole *w, const struct kt_ir_form *form, const struct remainder *r,
			const struct kt_ir_term *other)
{
	const struct kt_ir_form rest = {.count = 1, .terms = {form->terms[r->term]}};
	int64_t factor, by, within = 0;

	if (__builtin_mul_overflow(form->terms[r->term].factor, r->by, &factor) || other->factor != factor)
		return false;
	for (unsigned k = 0; k < other->count; k++) {
		const struct kt_ir_value *part = operand_of(w, other->atoms[k], KT_IR_REM, &within);
		const struct kt_ir_value *x = operand_of(w, part != NULL ? part : other->atoms[k], KT_IR_DIV, &by);
		struct kt_ir_term same = *other;

		same.atoms[k] = form->terms[r->term].atoms[r->atom];
		if (x == NULL || by != r->by || !kt_ir_same(x, r->x) || kt_ir_form_term(&rest, same.atoms, same.count) == NULL)
			continue;
		*joined = part == NULL ? x : kt_ir_apply(w->module, KT_IR_REM, x, kt_ir_constant(w->module, x->type, by * within), NULL);
		return *joined != NULL;
	}
	return false;
}

/* The form without both terms, and with what they are together. */
static bool replace_pair(struct kt_ir_form *form, const struct whole *w, const struct remainder *r, size_t other, const struct kt_ir_value *joined)
{
	struct kt_ir_form made = {.bits = form->bits, .constant = form->constant};
	struct kt_ir_term whole = form->terms[r->term];

	whole.atoms[r->atom] = joined->op == KT_IR_REM ? divided(joined, (void *)(uintptr_t)w) : joined;
	for (size_t i = 0; i < form->count; i++)
		if (i != r->term && i != other && !kt_ir_sum_add_term(&made, &form->terms[i]))
			return false;
	if (!kt_ir_sum_add_term(&made, &whole))
		return false;
	*form = made;
	return true;
}

/* Joins one pair. False: there is none. */
static bool join(struct kt_ir_form *form, const struct whole *w)
{
	const struct kt_ir_value *joined;

	for (size_t i = 0; i < form->count; i++)
		for (unsigned k = 0; k < form->terms[i].count; k++) {
			struct remainder r = {.term = i, .atom = k};

			r.x = operand_of(w, form->terms[i].atoms[k], KT_IR_REM, &r.by);
			for (size_t j = 0; r.x != NULL && j < form->count; j++)
				if (j != i && is_quotient(&joined, w, form, &r, &form->terms[j]))
					return replace_pair(form, w, &r, j, joined);
		}
	return false;
}

static const struct kt_ir_value *joined(const struct kt_ir_value *v, void *context)
{
	const struct whole *w = context;
	struct kt_ir_form form;
	bool is_changed = false;

	if (v->op != KT_IR_ADD || v->type->kind != KT_IR_INTEGER || v->type->bits < 32 || v->type->bits > 64 ||
	    !kt_ir_form_of(&form, &w->lets, v, false) || form.bits < v->type->bits)
		return v;
	while (join(&form, w))
		is_changed = true;
	return is_changed ? kt_ir_fold_all(w->module, kt_ir_sum_value(w->module, &form, v->type)) : v;
}

void kt_ir_product_join_quotients(struct kt_ir_module *m, const int64_t block[3])
{
	struct kt_ir_region *body = &m->last_function->body;
	struct whole w = {.module = m};

	if (!kt_ir_lets_of(&w.lets, m->arena, m, m->last_function) || !kt_ir_bounds_of(&w.bounds, m->arena, m, &w.lets, block))
		return;
	(void)kt_ir_rewrite_region(m, body, divided, &w);
	(void)kt_ir_rewrite_region(m, body, joined, &w);
}
