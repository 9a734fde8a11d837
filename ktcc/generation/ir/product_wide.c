/*
 * `a += blockIdx.y * 64 * k` moves a pointer by a product of unsigned words, and `a[threadIdx.y * k + i]` by another one: their sum
 * is a row times k where neither wraps. So what they are at most is assumed to be a word.
 */
#include "generation/ir/product_wide.h"

#include "generation/ir/bounds.h"
#include "generation/ir/walk.h"

enum { WORD = 32, MOST_NUMBER = INT16_MAX, MOST_ARGUMENTS = 2 };

struct widening {
	struct kt_ir_product_view *view;
	struct kt_ir_module *module;
	const struct kt_ir_type *wide;
	struct kt_ir_lets lets;
	struct kt_ir_bounds bounds;
};

static const struct kt_ir_value *as_wide(const struct widening *w, const struct kt_ir_value *v)
{
	return kt_ir_convert(w->module, v, w->wide, KT_IR_AS_VALUE);
}

static const struct kt_ir_value *number(const struct widening *w, int64_t n)
{
	return kt_ir_constant(w->module, w->wide, n);
}

/* a op b, of which none wraps; NULL b: a. */
static const struct kt_ir_value *pair(const struct widening *w, enum kt_ir_op op, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	return b == NULL ? a : a == NULL ? b : kt_ir_no_wrap(w->module, kt_ir_apply(w->module, op, a, b, NULL));
}

static bool is_argument(const struct widening *w, const struct kt_ir_value *atom)
{
	return atom->op == KT_IR_READ && atom->symbol->kind == KT_IR_ARGUMENT && w->lets.sets[atom->symbol->id] == 0;
}

struct sought {
	const struct kt_ir_symbol *counter;
	const struct kt_ir_statement *loop;
};

static bool find_loop(struct kt_ir_statement *s, void *context)
{
	struct sought *sought = context;

	if (s->kind == KT_IR_S_FOR && s->symbol == sought->counter)
		sought->loop = s;
	return sought->loop == NULL;
}

/* The argument that the counter is below, where it is none below zero; NULL: there is none. */
static const struct kt_ir_value *end_of(const struct widening *w, const struct kt_ir_value *atom)
{
	struct sought sought = {atom->op == KT_IR_READ ? atom->symbol : NULL, NULL};
	const struct kt_ir_value *end;
	int64_t start, step;

	if (sought.counter == NULL || sought.counter->kind != KT_IR_COUNTER)
		return NULL;
	(void)kt_ir_visit(&w->module->last_function->body, find_loop, &sought);
	if (sought.loop == NULL || !kt_ir_is_constant(sought.loop->value, &start) || !kt_ir_is_constant(sought.loop->further[1], &step) || start < 0 ||
	    step <= 0)
		return NULL;
	end = sought.loop->further[0];
	while (end->op == KT_IR_CONVERT && end->mode == KT_IR_AS_VALUE && end->type->bits >= WORD && end->arguments[0]->type->kind == KT_IR_INTEGER)
		end = end->arguments[0];
	return is_argument(w, end) ? end : NULL;
}

/* What the atom is at most, where it is none below zero, and *argument is not; NULL: that is not known. */
static const struct kt_ir_value *most_of(const struct widening *w, const struct kt_ir_value *atom, const struct kt_ir_value **argument)
{
	const struct kt_ir_range range = kt_ir_range_of(&w->bounds, atom);

	*argument = is_argument(w, atom) ? atom : NULL;
	if (range.least >= 0 && range.greatest <= MOST_NUMBER)
		return number(w, (int64_t)range.greatest);
	if (*argument == NULL)
		*argument = end_of(w, atom);
	if (*argument != NULL)
		return as_wide(w, *argument);
	if (atom->op == KT_IR_AXIS && (atom->axis == KT_IR_BLOCK || atom->axis == KT_IR_GRID_DIM))
		return as_wide(w, kt_ir_axis(w->module, KT_IR_GRID_DIM, atom->dimension > 1 ? atom->dimension : w->view->grid[atom->dimension]));
	return NULL;
}

static bool assume(struct kt_ir_product_view *view, const struct kt_ir_value *condition)
{
	for (size_t i = 0; i < view->assumed_count; i++)
		if (kt_ir_same(view->assumed[i], condition))
			return true;
	if (condition == NULL || view->assumed_count == KT_IR_VIEW_MOST_ASSUMED)
		return false;
	view->assumed[view->assumed_count++] = condition;
	return true;
}

/* What the term is at most. Arguments are none below zero, which is assumed, so that they are the same numbers as words. */
static const struct kt_ir_value *most_of_term(const struct widening *w, const struct kt_ir_term *t)
{
	const struct kt_ir_value *product = t->factor == 1 ? NULL : number(w, t->factor), *argument;
	unsigned arguments = 0;

	if (t->factor < 0 || t->factor > MOST_NUMBER)
		return NULL;
	for (unsigned k = 0; k < t->count; k++) {
		const struct kt_ir_value *most = most_of(w, t->atoms[k], &argument);

		arguments += most != NULL && most->op != KT_IR_CONSTANT;
		if (most == NULL || arguments > MOST_ARGUMENTS ||
		    (argument != NULL && !assume(w->view, kt_ir_apply(w->module, KT_IR_LE, number(w, 0), as_wide(w, argument), NULL))))
			return NULL;
		product = pair(w, KT_IR_MUL, product, most);
	}
	return product;
}

/* The sum is a word. */
static bool assume_all(const struct widening *w, const struct kt_ir_form *form)
{
	const struct kt_ir_value *most = form->constant == 0 ? NULL : number(w, form->constant);

	for (size_t i = 0; i < form->count; i++) {
		const struct kt_ir_value *one = most_of_term(w, &form->terms[i]);

		if (one == NULL)
			return false;
		most = pair(w, KT_IR_ADD, most, one);
	}
	return assume(w->view, kt_ir_apply(w->module, KT_IR_LE, most, number(w, UINT32_MAX), NULL));
}

static const struct kt_ir_value *sum_of(const struct widening *w, const struct kt_ir_form *form)
{
	const struct kt_ir_value *sum = form->constant == 0 ? NULL : number(w, form->constant);

	for (size_t i = 0; i < form->count; i++) {
		const struct kt_ir_value *one = form->terms[i].factor == 1 ? NULL : number(w, form->terms[i].factor);

		for (unsigned k = 0; k < form->terms[i].count; k++)
			one = pair(w, KT_IR_MUL, as_wide(w, form->terms[i].atoms[k]), one);
		sum = pair(w, KT_IR_ADD, one, sum);
	}
	return sum;
}

static const struct kt_ir_value *widened(const struct kt_ir_value *v, void *context)
{
	struct widening *w = context;
	const struct kt_ir_type *from = v->op == KT_IR_CONVERT ? v->arguments[0]->type : NULL;
	const size_t assumed = w->view->assumed_count;
	struct kt_ir_form form;

	if (from == NULL || v->mode != KT_IR_AS_VALUE || v->type->kind != KT_IR_INTEGER || v->type->bits != 2 * WORD ||
	    from->kind != KT_IR_INTEGER || from->bits != WORD || from->is_signed ||
	    !kt_ir_form_of(&form, &w->lets, v->arguments[0], false) || form.bits != WORD || form.count == 0 || form.constant < 0 ||
	    form.constant > MOST_NUMBER)
		return v;
	if (assume_all(w, &form))
		return kt_ir_convert(w->module, sum_of(w, &form), v->type, KT_IR_AS_VALUE);
	w->view->assumed_count = assumed;
	return v;
}

void kt_ir_product_widen(struct kt_ir_product_view *view, struct kt_ir_module *m)
{
	struct widening w = {.view = view, .module = m, .wide = kt_ir_integer(m, 2 * WORD, true)};

	if (!kt_ir_lets_of(&w.lets, m->arena, m, m->last_function) || !kt_ir_bounds_of(&w.bounds, m->arena, m, &w.lets, view->block))
		return;
	(void)kt_ir_rewrite_region(m, &m->last_function->body, widened, &w);
}
