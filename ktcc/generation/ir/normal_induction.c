/*
 * Normal form: a local that each iteration of a for moves by the same amount is its value before the loop plus
 * iterations times the amount. The for counts by a constant, or by that same amount.
 */
#include "generation/ir/counted.h"
#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct induction {
	struct kt_ir_module *module;
	struct kt_ir_symbol *start;   /* what the local was before the loop */
	struct kt_ir_statement *last; /* its set after the loop; NULL: nothing reads it there */
	const struct kt_ir_symbol *variable;
	const struct kt_ir_value *here; /* its value in the iteration: before its set */
	const struct kt_ir_value *amount;
	bool no_wrap;
};

static bool count_set(struct kt_ir_statement *s, void *context)
{
	struct induction *i = context;

	return s->kind != KT_IR_S_SET || s->symbol != i->variable;
}

/* Is the statement the only one of the loop that sets its local? */
static bool is_only_set(const struct kt_ir_statement *loop, const struct kt_ir_statement *set)
{
	struct kt_ir_region before = {loop->body.first, NULL};
	struct kt_ir_region after = {set->next, NULL};
	struct induction i = {.variable = set->symbol};

	for (struct kt_ir_statement *s = before.first; s != set; s = s->next) {
		if (!count_set(s, &i))
			return false;
		for (size_t k = 0; kt_ir_region_of(s, k) != NULL; k++)
			if (kt_ir_sets(kt_ir_region_of(s, k), set->symbol))
				return false;
	}
	return !kt_ir_sets(&after, set->symbol);
}

/* The product without the factor; the first of its operands that is a multiple of it is divided. */
static const struct kt_ir_value *quotient(struct kt_ir_module *m, const struct kt_ir_lets *lets, const struct kt_ir_value *v, int64_t by,
					  bool is_exact);

static const struct kt_ir_value *quotient_of_product(struct kt_ir_module *m, const struct kt_ir_lets *lets, const struct kt_ir_value *v,
						     int64_t by, bool is_exact)
{
	for (size_t i = 0; i < 2; i++) {
		const struct kt_ir_value *part = quotient(m, lets, v->arguments[i], by, is_exact), *made;

		if (part == NULL)
			continue;
		made = kt_ir_apply(m, KT_IR_MUL, i == 0 ? part : v->arguments[0], i == 0 ? v->arguments[1] : part, NULL);
		return is_exact ? kt_ir_no_wrap(m, made) : made;
	}
	return NULL;
}

/*
 * The value divided by a number that it is a multiple of, whatever the launch. is_exact: it is the multiple of the result itself,
 * else modulo its width. NULL: it is not known to be one.
 */
static const struct kt_ir_value *quotient(struct kt_ir_module *m, const struct kt_ir_lets *lets, const struct kt_ir_value *v, int64_t by,
					  bool is_exact)
{
	const struct kt_ir_value *inner;
	int64_t number;

	v = kt_ir_behind_let(lets, v);
	if (kt_ir_is_constant(v, &number))
		return number % by == 0 ? kt_ir_constant(m, v->type, number / by) : NULL;
	if (v->op == KT_IR_MUL)
		return is_exact && !v->no_wrap ? NULL : quotient_of_product(m, lets, v, by, is_exact);
	if (v->op != KT_IR_CONVERT || v->mode != KT_IR_AS_VALUE || v->type->kind != KT_IR_INTEGER ||
	    v->arguments[0]->type->kind != KT_IR_INTEGER)
		return NULL;
	inner = v->arguments[0];
	inner = quotient(m, lets, inner, by, is_exact || inner->type->bits < v->type->bits);
	return inner == NULL ? NULL : kt_ir_convert(m, inner, v->type, KT_IR_AS_VALUE);
}

/* What the counter has passed, a multiple of its step, divided by that: no number below zero, of as many bits as the counter. */
static const struct kt_ir_value *iterations(struct kt_ir_module *m, const struct kt_ir_value *passed, int64_t step)
{
	const struct kt_ir_type *number = kt_ir_integer(m, passed->type->bits, false);
	const struct kt_ir_value *made = kt_ir_convert(m, passed, number, KT_IR_AS_VALUE);

	made = kt_ir_apply(m, KT_IR_DIV, made, kt_ir_constant(m, number, step), NULL);
	return kt_ir_convert(m, made, passed->type, KT_IR_AS_VALUE);
}

/* Iterations before this one times the amount, of the amount's type. NULL: there are no words for it. */
static const struct kt_ir_value *progress(struct kt_ir_module *m, const struct kt_ir_lets *lets, const struct kt_ir_statement *loop,
					  const struct kt_ir_value *amount, bool no_wrap)
{
	const struct kt_ir_value *counter = kt_ir_convert(m, kt_ir_read(m, loop->symbol), amount->type, KT_IR_AS_VALUE);
	const struct kt_ir_value *low = kt_ir_convert(m, loop->value, amount->type, KT_IR_AS_VALUE), *passed, *factor, *made;
	int64_t step;

	/* A narrower counter may have been cut: the difference would be, too. */
	if (loop->symbol->type->bits > amount->type->bits)
		return NULL;
	passed = kt_ir_apply(m, KT_IR_SUB, counter, low, NULL);
	if (no_wrap)
		passed = kt_ir_no_wrap(m, passed);
	if (kt_ir_same(loop->further[1], amount))
		return passed;
	if (!kt_ir_is_constant(loop->further[1], &step) || step == 0)
		return NULL;
	factor = step == 1 ? amount : quotient(m, lets, amount, step, true);
	if (factor == NULL)
		factor = quotient(m, lets, amount, step, false);
	if (factor == NULL && step > 0) {
		passed = iterations(m, passed, step);
		factor = amount;
	}
	if (factor == NULL)
		return NULL;
	made = kt_ir_apply(m, KT_IR_MUL, passed, factor, NULL);
	return no_wrap ? kt_ir_no_wrap(m, made) : made;
}

static const struct kt_ir_value *at_iteration(const struct kt_ir_value *v, void *context)
{
	struct induction *i = context;

	return v->op == KT_IR_READ && v->symbol == i->variable ? i->here : v;
}

static const struct kt_ir_value *plus(struct induction *i, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	const struct kt_ir_value *sum = kt_ir_apply(i->module, KT_IR_ADD, a, b, NULL);

	return sum != NULL && i->no_wrap ? kt_ir_no_wrap(i->module, sum) : sum;
}

/* Reads before the set see the iteration's value, those after it the next one's. */
static void rewrite(struct induction *i, struct kt_ir_statement *loop, const struct kt_ir_statement *set)
{
	const struct kt_ir_value *before = i->here, *after = plus(i, i->here, i->amount);
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = loop->body.first; s != NULL; s = s->next) {
		if (s == set) {
			i->here = after;
			continue;
		}
		(void)kt_ir_rewrite_statement(i->module, s, at_iteration, i);
		for (size_t k = 0; (inner = kt_ir_region_of(s, k)) != NULL; k++)
			(void)kt_ir_rewrite_region(i->module, inner, at_iteration, i);
	}
	i->here = before;
}

static bool is_other(struct kt_ir_statement *s, void *context)
{
	return s != context;
}

/*
 * The local's value after the loop: the first value plus the step times the number of iterations. NULL: it cannot be spelled.
 */
static struct kt_ir_statement * final(struct induction *i, const struct kt_ir_statement *loop)
{
	struct kt_ir_module *m = i->module;
	struct kt_ir_statement *s = kt_ir_statement_new(m, KT_IR_S_SET, loop);
	const struct kt_ir_type *type = i->amount->type;
	const struct kt_ir_value *low = kt_ir_convert(m, loop->value, type, KT_IR_AS_VALUE), *trips;
	int64_t step;

	if (s == NULL || !kt_ir_is_constant(loop->further[1], &step) || step != 1 || kt_ir_leaves(&loop->body))
		return NULL;
	trips = kt_ir_apply(m, KT_IR_SUB, kt_ir_convert(m, loop->further[0], type, KT_IR_AS_VALUE), low, NULL);
	trips = kt_ir_apply(m, KT_IR_SELECT, kt_ir_apply(m, KT_IR_LT, loop->value, loop->further[0], NULL),
			    i->no_wrap ? kt_ir_no_wrap(m, trips) : trips, kt_ir_constant(m, type, 0));
	trips = kt_ir_apply(m, KT_IR_MUL, trips, i->amount, NULL);
	s->symbol = (struct kt_ir_symbol *)(uintptr_t)i->variable;
	s->value = plus(i, kt_ir_read(m, i->variable), i->no_wrap ? kt_ir_no_wrap(m, trips) : trips);
	return s;
}

/* One local of the loop; false: none is left. */
static bool replace_one(struct kt_ir_normal *n, const struct kt_ir_lets *lets, struct kt_ir_region *before, struct kt_ir_region *behind,
			struct kt_ir_statement *loop, const struct kt_ir_after *at)
{
	struct kt_ir_module *m = n->module;
	const struct kt_ir_value *made;
	bool wraps;

	if (kt_ir_jumps(&loop->body, KT_IR_S_CONTINUE))
		return false;
	for (struct kt_ir_statement *s = loop->body.first; s != NULL; s = s->next) {
		struct induction i = {.module = m, .variable = s->symbol};

		if (s->kind != KT_IR_S_SET || s->symbol->kind != KT_IR_LOCAL_SYMBOL || !is_only_set(loop, s) ||
		    (i.amount = kt_ir_moved_by(m, s, &wraps)) == NULL || !kt_ir_is_invariant(loop, i.amount))
			continue;
		/* The sum is the same modulo the width; parts of it might overflow in 32 bits where the whole does not.
		 */
		i.no_wrap = !wraps && i.amount->type->bits == 64;
		made = progress(m, lets, loop, i.amount, i.no_wrap);
		if (made == NULL || (kt_ir_is_live_after(s->symbol, at) && (i.last = final(&i, loop)) == NULL))
			continue;
		if (i.last != NULL)
			kt_ir_push(behind, i.last);
		i.start = kt_ir_let(m, before, s->symbol->hint, kt_ir_read(m, s->symbol));
		i.here = plus(&i, kt_ir_read(m, i.start), made);
		if (i.here == NULL)
			return false;
		rewrite(&i, loop, s);
		(void)kt_ir_filter(&loop->body, is_other, s);
		return true;
	}
	return false;
}

static bool each_region(struct kt_ir_normal *n, const struct kt_ir_lets *lets, struct kt_ir_region *region, const struct kt_ir_after *after)
{
	struct kt_ir_statement *previous = NULL;
	struct kt_ir_region *inner;
	bool changed = false;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const struct kt_ir_after here = {after, s};
		struct kt_ir_region before = {NULL, NULL}, behind = {NULL, NULL};

		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			changed |= each_region(n, lets, inner, &here);
		while (s->kind == KT_IR_S_FOR && !n->module->failed && replace_one(n, lets, &before, &behind, s, &here))
			changed = true;
		(void)kt_ir_insert(region, previous, &before);
		previous = s = kt_ir_insert(region, s, &behind);
	}
	return changed;
}

bool kt_ir_normal_induction(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_induction(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct kt_ir_lets lets;

	if (!kt_ir_lets_of(&lets, n->module->arena, n->module, f))
		return kt_ir_fail(n->module, "out of memory") != NULL;
	return each_region(n, &lets, &f->body, NULL);
}
