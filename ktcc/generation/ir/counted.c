/* Recognising loops that count: the exit's comparison, the step, and whether the counter can wrap. */
#include "generation/ir/counted.h"

#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/number.h"
#include "generation/ir/walk.h"

static bool is_integer(const struct kt_ir_value *v)
{
	return v->type->kind == KT_IR_INTEGER;
}

/* Conversions between integers that are no shorter than the variable. */
static const struct kt_ir_value *bare(const struct kt_ir_value *v, unsigned bits)
{
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && is_integer(v) && is_integer(v->arguments[0]) &&
	       v->type->bits >= bits && v->arguments[0]->type->bits >= bits)
		v = v->arguments[0];
	return v;
}

const struct kt_ir_value *kt_ir_moved_by(struct kt_ir_module *m, const struct kt_ir_statement *set, bool *wraps)
{
	const struct kt_ir_value *v, *amount;
	const unsigned bits = set->symbol->type->bits;
	bool is_first;

	if (set->symbol->type->kind != KT_IR_INTEGER)
		return NULL;
	v = bare(set->value, bits);
	if ((v->op != KT_IR_ADD && v->op != KT_IR_SUB) || v->type->bits != bits)
		return NULL;
	is_first = bare(v->arguments[0], bits)->op == KT_IR_READ && bare(v->arguments[0], bits)->symbol == set->symbol;
	if (!is_first && (v->op == KT_IR_SUB || bare(v->arguments[1], bits)->op != KT_IR_READ ||
			  bare(v->arguments[1], bits)->symbol != set->symbol))
		return NULL;
	amount = v->arguments[is_first ? 1 : 0];
	if (v->op == KT_IR_SUB) {
		if (!set->symbol->type->is_signed && amount->op != KT_IR_CONSTANT)
			return NULL;
		/* Of an unsigned number the negative one is the same modulo its width. */
		amount = kt_ir_apply(
		    m, KT_IR_NEG, kt_ir_convert(m, amount, kt_ir_integer(m, bits, true), KT_IR_AS_VALUE), NULL, NULL);
	}
	*wraps = !(v->no_wrap && v == set->value);
	return amount == NULL ? NULL : kt_ir_fold_all(m, kt_ir_convert(m, amount, set->symbol->type, KT_IR_AS_VALUE));
}

struct only_set {
	const struct kt_ir_symbol *symbol;
	struct kt_ir_statement *set;
	unsigned count;
};

static bool count_set(struct kt_ir_statement *s, void *context)
{
	struct only_set *o = context;

	if (s->kind == KT_IR_S_SET && s->symbol == o->symbol) {
		o->count++;
		o->set = s;
	}
	return true;
}

/* The one set of the variable in the loop, after each iteration. */
static struct kt_ir_statement *only_set(const struct kt_ir_statement *loop, const struct kt_ir_symbol *symbol)
{
	struct only_set o = {symbol, NULL, 0};

	(void)kt_ir_visit(&loop->body, count_set, &o);
	(void)kt_ir_visit(&loop->otherwise, count_set, &o);
	if (o.count != 1)
		return NULL;
	for (struct kt_ir_statement *s = loop->otherwise.first; s != NULL; s = s->next)
		if (s == o.set)
			return s;
	return NULL;
}

/* ---- The comparison ---- */

/* The variable that this side of a comparison is; NULL: it is something else. */
static struct kt_ir_symbol *variable_of(const struct kt_ir_value *v)
{
	const struct kt_ir_symbol *symbol;

	if (!is_integer(v))
		return NULL;
	if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE)
		v = v->arguments[0];
	if (v->op != KT_IR_READ || !is_integer(v) || v->type->bits < 32 || v->type->bits > 64)
		return NULL;
	symbol = v->symbol;
	return symbol->is_memory || (symbol->kind != KT_IR_LOCAL_SYMBOL && symbol->kind != KT_IR_ARGUMENT)
		   ? NULL
		   : (struct kt_ir_symbol *)(uintptr_t)symbol;
}

static const struct kt_ir_value *plus(struct kt_ir_module *m, const struct kt_ir_value *v, int64_t number, bool no_wrap)
{
	const struct kt_ir_value *sum = kt_ir_apply(m, KT_IR_ADD, v, kt_ir_constant(m, v->type, number), NULL);

	return sum != NULL && no_wrap ? kt_ir_no_wrap(m, sum) : sum;
}

/* Is it known to be no less than zero, whatever the launch? */
static bool is_positive(const struct kt_ir_value *v)
{
	int64_t number;

	if (kt_ir_is_constant(v, &number))
		return number >= 0;
	if (v->op == KT_IR_AXIS)
		return true;
	if (v->op == KT_IR_CONVERT && is_integer(v) && is_integer(v->arguments[0]))
		return (!v->arguments[0]->type->is_signed && v->arguments[0]->type->bits < v->type->bits) ||
		       (v->arguments[0]->op == KT_IR_AXIS) ||
		       (v->arguments[0]->type->bits <= v->type->bits && v->arguments[0]->type->is_signed &&
			is_positive(v->arguments[0]));
	return is_integer(v) && !v->type->is_signed;
}

/* The value that the local has before the loop, set by the statement list in front of it. */
static const struct kt_ir_value *begins_at(const struct kt_ir_statement *first, const struct kt_ir_statement *loop,
					   const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_value *value = NULL;

	for (const struct kt_ir_statement *s = first; s != NULL && s != loop; s = s->next) {
		if (s->kind == KT_IR_S_SET && s->symbol == symbol)
			value = s->value;
		else if (kt_ir_sets(&s->body, symbol) || kt_ir_sets(&s->otherwise, symbol) || s->case_count > 0)
			value = NULL;
	}
	return value;
}

/* Bound and direction, for `side op bound` while the loop goes on, and a known step. False: no for does that. */
static bool bound(struct kt_ir_counted *c, enum kt_ir_op op, const struct kt_ir_value *end, bool wraps,
		  bool starts_at_zero)
{
	struct kt_ir_module *m = c->module;
	int64_t step = 1;
	const bool is_known = kt_ir_is_constant(c->step, &step);

	if (step == 0)
		return false;
	c->is_down = is_known && step < 0;
	if (c->is_down && !c->low->type->is_signed)
		return false;
	c->high = end;
	switch (op) {
	case KT_IR_LT:
		return !c->is_down;
	case KT_IR_GT:
		return c->is_down;
	case KT_IR_LE:
		/* Where the bound is the greatest number, the loop does not end. */
		c->high = plus(m, end, 1, true);
		return !c->is_down;
	case KT_IR_GE:
		c->high = plus(m, end, -1, true);
		return c->is_down;
	case KT_IR_NE:
		c->meets = true;
		return is_known && (step == 1 || step == -1) && (!wraps || (starts_at_zero && step == 1));
	default:
		return false;
	}
}

/* ---- Wrapping ---- */

static bool is_of_launch(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_function *f = context;

	if (v->place != NULL || v->op == KT_IR_PARAMETER)
		return false;
	if (v->op == KT_IR_READ)
		return v->symbol->kind == KT_IR_ARGUMENT && !kt_ir_sets(&f->body, v->symbol);
	return v->op != KT_IR_AXIS || v->axis == KT_IR_BLOCK_DIM || v->axis == KT_IR_GRID_DIM ||
	       v->axis == KT_IR_WARP_SIZE;
}

struct definitions {
	const struct kt_ir_symbol *symbol;
	const struct kt_ir_value *value;
};

static bool find_let(struct kt_ir_statement *s, void *context)
{
	struct definitions *d = context;

	if (s->kind == KT_IR_S_LET && s->symbol == d->symbol)
		d->value = s->value;
	return d->value == NULL;
}

static const struct kt_ir_value *expanded(const struct kt_ir_value *v, void *context)
{
	struct kt_ir_counted *c = context;
	struct definitions d = {v->symbol, NULL};

	if (v->op != KT_IR_READ || v->symbol->kind != KT_IR_TEMPORARY || c->room == 0)
		return v;
	(void)kt_ir_visit(&c->function->body, find_let, &d);
	if (d.value == NULL)
		return v;
	c->room--;
	return kt_ir_rewrite(c->module, d.value, expanded, c);
}

/* The step as a number that it is without having been cut: of an unsigned sum, the unsigned one. */
static const struct kt_ir_value *uncut(struct kt_ir_module *m, const struct kt_ir_value *step)
{
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true);

	if (step->op == KT_IR_CONVERT && is_integer(step->arguments[0]) && !step->arguments[0]->type->is_signed)
		step = step->arguments[0];
	return kt_ir_convert(m, step, wide, KT_IR_AS_VALUE);
}

/* The last step past the bound must not wrap: an assumption, where both are known before the launch. */
static bool assume_no_wrap(struct kt_ir_counted *c)
{
	struct kt_ir_module *m = c->module;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true), *type = c->variable->type;

	c->room = KT_IR_MOST_EXPANDED;
	const struct kt_ir_value *end = kt_ir_rewrite(m, c->high, expanded, c),
				 *step = kt_ir_rewrite(m, c->step, expanded, c);
	const struct kt_ir_value *most = kt_ir_constant(m, wide, type->is_signed ? INT32_MAX : (int64_t)UINT32_MAX);

	if (!c->function->is_kernel || c->high->type->bits != 32 || end == NULL || step == NULL ||
	    !kt_ir_visit_value(end, is_of_launch, c->function) || !kt_ir_visit_value(step, is_of_launch, c->function))
		return false;
	step = uncut(m, step);
	end = kt_ir_convert(m, end, wide, KT_IR_AS_VALUE);
	c->assumptions[0] = kt_ir_apply(m, KT_IR_LE, step, most, NULL);
	c->assumptions[1] = kt_ir_apply(m, KT_IR_LE, kt_ir_apply(m, KT_IR_ADD, end, step, NULL), most, NULL);
	c->assumption_count = 2;
	return true;
}

static bool may_not_wrap(struct kt_ir_counted *c, bool wraps)
{
	int64_t step;

	if (!wraps || c->variable->type->bits == 64 || c->meets)
		return true;
	if (kt_ir_is_constant(c->step, &step) && (step == 1 || step == -1))
		return true;
	return !c->is_down && assume_no_wrap(c);
}

/* ---- The loop ---- */

/* An unsigned counter that goes down counts in 64 signed bits. */
static void widen_down(struct kt_ir_counted *c, const struct kt_ir_value **end, int64_t step)
{
	struct kt_ir_module *m = c->module;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true);

	c->low = kt_ir_convert(m, c->low, wide, KT_IR_AS_VALUE);
	*end = kt_ir_convert(m, *end, wide, KT_IR_AS_VALUE);
	c->step = kt_ir_constant(m, wide, step);
}

/* The number that adding the constant moves by, in either direction. */
static bool signed_constant(const struct kt_ir_value *v, int64_t *number)
{
	const struct kt_ir_type type = {.kind = KT_IR_INTEGER, .bits = v->type->bits, .is_signed = true};

	if (v->op != KT_IR_CONSTANT || v->type->bits > 64)
		return false;
	*number = (int64_t)kt_ir_wide_of(&type, v->bits);
	return true;
}

/*
 * `counter + number <= end`, of constants, is `counter <= end - number` where the counter goes up from a constant without wrapping.
 * The counter; *end is changed. The side itself where it is no such sum.
 */
static const struct kt_ir_value *without_number(const struct kt_ir_counted *c, const struct kt_ir_statement *loop,
						const struct kt_ir_value *side, const struct kt_ir_value **end)
{
	enum { MOST = INT32_MAX / 2 };
	struct kt_ir_symbol *variable = side->op == KT_IR_ADD ? variable_of(side->arguments[0]) : NULL;
	struct kt_ir_statement *set = variable == NULL ? NULL : only_set(loop, variable);
	const struct kt_ir_value *amount, *begin;
	int64_t number, last, step, start;
	bool wraps;

	if (set == NULL || !kt_ir_is_constant(side->arguments[1], &number) || !kt_ir_is_constant(*end, &last) || number < 0 ||
	    last < number || last > MOST)
		return side;
	amount = kt_ir_moved_by(c->module, set, &wraps);
	begin = begins_at(c->first, loop, variable);
	if (amount == NULL || begin == NULL || !kt_ir_is_constant(amount, &step) || !kt_ir_is_constant(begin, &start) || step <= 0 ||
	    step > MOST || start < 0 || start > MOST)
		return side;
	*end = kt_ir_constant(c->module, (*end)->type, last - number);
	return side->arguments[0];
}

static bool compares(struct kt_ir_counted *c, const struct kt_ir_statement *loop, const struct kt_ir_value *condition)
{
	static const enum kt_ir_op turns[KT_IR_OP_COUNT] = {[KT_IR_NE] = KT_IR_NE,
							    [KT_IR_LT] = KT_IR_GT,
							    [KT_IR_LE] = KT_IR_GE,
							    [KT_IR_GT] = KT_IR_LT,
							    [KT_IR_GE] = KT_IR_LE};
	const struct kt_ir_value *amount, *end, *begin;
	int64_t number, start = -1;
	bool wraps;

	if (turns[condition->op] == KT_IR_CONSTANT)
		return false;
	for (int side = 0; side < 2; side++) {
		const enum kt_ir_op op = side == 0 ? condition->op : turns[condition->op];

		end = condition->arguments[1 - side];
		c->low = without_number(c, loop, condition->arguments[side], &end);
		c->variable = variable_of(c->low);
		if (c->variable == NULL || (c->set = only_set(loop, c->variable)) == NULL ||
		    !kt_ir_is_invariant(loop, end))
			continue;
		begin = begins_at(c->first, loop, c->variable);
		amount = kt_ir_moved_by(c->module, c->set, &wraps);
		if (amount == NULL || !kt_ir_is_invariant(loop, amount))
			continue;
		/* A counter that is compared in another type starts at what both types hold. */
		if (c->low->type != c->variable->type && (c->low->type->bits < c->variable->type->bits ||
							  (!c->low->type->is_signed && c->variable->type->is_signed &&
							   (begin == NULL || !is_positive(begin)))))
			continue;
		if (c->low->type->bits == c->variable->type->bits && c->low->type->is_signed &&
		    !c->variable->type->is_signed)
			continue;
		c->step = kt_ir_convert(c->module, amount, c->low->type, KT_IR_AS_VALUE);
		if (signed_constant(amount, &number) && number < 0 && !c->low->type->is_signed) {
			if (op != KT_IR_GT || c->variable->type->is_signed)
				continue;
			widen_down(c, &end, number);
			wraps = false;
		}
		if (bound(c, op, end, wraps, begin != NULL && kt_ir_is_constant(begin, &start) && start == 0) &&
		    may_not_wrap(c, wraps))
			return true;
	}
	return false;
}

bool kt_ir_recognise(struct kt_ir_counted *c, struct kt_ir_statement *loop, const struct kt_ir_after *at)
{
	struct kt_ir_statement *const head = loop->body.first, *const tail = loop->otherwise.last;
	const struct kt_ir_value *condition;
	struct kt_ir_statement kept;
	bool breaks;

	c->is_rotated = !kt_ir_is_exit(head);
	c->exit = c->is_rotated ? tail : head;
	if (!kt_ir_is_exit(c->exit))
		return false;
	/* Another break of this loop? */
	kept = *c->exit;
	c->exit->body = (struct kt_ir_region){NULL, NULL};
	breaks = kt_ir_jumps(&loop->body, KT_IR_S_BREAK) || kt_ir_jumps(&loop->otherwise, KT_IR_S_BREAK);
	c->exit->body = kept.body;
	condition = kt_ir_opposite(c->module, c->exit->value);
	if (breaks || condition == NULL || !compares(c, loop, condition))
		return false;
	/* What else follows each iteration follows the body, which no continue may skip. */
	if (loop->otherwise.first != NULL && kt_ir_jumps(&loop->body, KT_IR_S_CONTINUE) &&
	    !(loop->otherwise.first == c->set && c->set->next == (c->is_rotated ? c->exit : NULL)))
		return false;
	/* After the set, at the end of an iteration, the variable is the next one's. */
	for (const struct kt_ir_statement *s = c->set->next; s != NULL; s = s->next)
		if (s != c->exit && kt_ir_reads(s, c->variable))
			return false;
	c->is_live = kt_ir_is_live_after(c->variable, at);
	if (c->is_live) {
		int64_t step;

		if (!kt_ir_is_constant(c->step, &step) || (step != 1 && step != -1) ||
		    c->variable->type->bits > c->low->type->bits)
			return false;
	}
	return true;
}
