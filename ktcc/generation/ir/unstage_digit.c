/*
 * Threads that are numbered in rows, `threadIdx.x / 16` and `threadIdx.x % 16`, and counters of loops likewise. Where an index of the
 * store has such digits, they are sought instead of the index of the thread or the counter, which is their number.
 */
#include "generation/ir/normal.h"
#include "generation/ir/unstage_parts.h"

enum { WORD = 32 };

/* A quotient or a remainder of what is inside by a constant, in any spelling. */
struct digit {
	const struct kt_ir_value *inside;
	int64_t divisor;
	bool is_rest;
};

static const struct kt_ir_value *without_casts(const struct kt_ir_lets *lets, const struct kt_ir_value *v)
{
	v = kt_ir_behind_let(lets, v);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= WORD &&
	       v->arguments[0]->type->kind == KT_IR_INTEGER)
		v = kt_ir_behind_let(lets, v->arguments[0]);
	return v;
}

/* 0: there is none. */
static int64_t divisor_of(enum kt_ir_op op, int64_t number)
{
	switch (op) {
	case KT_IR_DIV:
	case KT_IR_REM:
		return number;
	case KT_IR_SHR:
		return number > 0 && number < WORD - 1 ? (int64_t)1 << number : 0;
	case KT_IR_AND:
		return number < INT32_MAX && (number & (number + 1)) == 0 ? number + 1 : 0;
	default:
		return 0;
	}
}

static bool read_digit(struct digit *d, const struct kt_ir_lets *lets, const struct kt_ir_value *v)
{
	int64_t number;

	v = without_casts(lets, v);
	if (v->count != 2 || !kt_ir_is_constant(v->arguments[1], &number))
		return false;
	*d = (struct digit){without_casts(lets, v->arguments[0]), divisor_of(v->op, number), v->op == KT_IR_REM || v->op == KT_IR_AND};
	return d->divisor > 1;
}

/* The unknown whose digits are sought: an index of the thread, or a counter itself. */
static struct kt_ir_unknown *number_of(struct kt_ir_origin *o, const struct kt_ir_value *inside)
{
	struct kt_ir_unknown *u = kt_ir_unknown_of(o, inside);

	return u != NULL && u->start == 0 && u->step == 1 ? u : NULL;
}

static void add_digits(struct kt_ir_origin *o, struct kt_ir_unknown *u, int64_t divisor)
{
	struct kt_ir_module *m = o->in->module;

	if (u->value != NULL || u->divisor != 0 || u->extent <= 0 || u->extent % divisor != 0 || o->unknown_count + 2 > KT_IR_MOST_UNKNOWNS)
		return;
	u->divisor = divisor;
	u->digits = o->unknown_count;
	for (int is_rest = 0; is_rest < 2; is_rest++)
		o->unknowns[o->unknown_count++] = (struct kt_ir_unknown){
		    .atom = kt_ir_apply(m, is_rest ? KT_IR_REM : KT_IR_DIV, u->atom, kt_ir_constant(m, u->atom->type, divisor), NULL),
		    .extent = is_rest ? divisor : u->extent / divisor, .step = 1};
}

void kt_ir_add_digits(struct kt_ir_origin *o)
{
	const struct kt_ir_place *place = o->store->place;
	struct kt_ir_unknown *u;
	struct kt_ir_form form;
	struct digit d;

	for (size_t i = 0; i < place->count && place->steps[i].kind == KT_IR_INDEX; i++) {
		if (!kt_ir_form_of(&form, &o->in->lets, place->steps[i].index, false))
			continue;
		for (size_t k = 0; k < form.count; k++)
			if (read_digit(&d, &o->in->lets, form.terms[k].atoms[0]) && (u = number_of(o, d.inside)) != NULL)
				add_digits(o, u, d.divisor);
	}
}

/* Adds the term, over the digits where there are some. */
static bool add_spread(struct kt_ir_form *to, struct kt_ir_origin *o, const struct kt_ir_term *t)
{
	const struct kt_ir_unknown *u = t->count == 1 ? number_of(o, t->atoms[0]) : NULL;
	struct kt_ir_term one = *t;
	struct digit d;

	if (u != NULL && u->divisor != 0) {
		one.atoms[0] = o->unknowns[u->digits].atom;
		if (__builtin_mul_overflow(t->factor, u->divisor, &one.factor) || !kt_ir_sum_add_term(to, &one))
			return false;
		one.atoms[0] = o->unknowns[u->digits + 1].atom;
		one.factor = t->factor;
	} else if (t->count == 1 && read_digit(&d, &o->in->lets, t->atoms[0]) && (u = number_of(o, d.inside)) != NULL && u->divisor == d.divisor)
		one.atoms[0] = o->unknowns[u->digits + d.is_rest].atom;
	return kt_ir_sum_add_term(to, &one);
}

bool kt_ir_spread(struct kt_ir_form *form, struct kt_ir_origin *o)
{
	struct kt_ir_form all = {.bits = form->bits, .constant = form->constant};

	for (size_t i = 0; i < form->count; i++)
		if (!add_spread(&all, o, &form->terms[i]))
			return false;
	*form = all;
	return true;
}

void kt_ir_join_digits(struct kt_ir_origin *o)
{
	struct kt_ir_module *m = o->in->module;

	for (size_t i = 0; i < o->unknown_count; i++) {
		struct kt_ir_unknown *u = &o->unknowns[i];
		const struct kt_ir_unknown *digits = &o->unknowns[u->digits];
		const struct kt_ir_value *high;

		if (u->divisor == 0 || u->value != NULL || digits[0].value == NULL || digits[1].value == NULL)
			continue;
		high = kt_ir_apply(m, KT_IR_MUL, digits[0].value, kt_ir_constant(m, u->atom->type, u->divisor), NULL);
		high = kt_ir_apply(m, KT_IR_ADD, high, digits[1].value, NULL);
		u->value = high == NULL ? NULL : kt_ir_fold_all(m, high);
	}
}

const struct kt_ir_value *kt_ir_owner_digit(struct kt_ir_origin *o, const struct kt_ir_value *v)
{
	struct digit d;

	for (size_t i = 0; i < o->unknown_count; i++) {
		const struct kt_ir_unknown *u = &o->unknowns[i];

		if (u->divisor != 0 && u->value != NULL && read_digit(&d, NULL, v) && d.divisor == u->divisor && kt_ir_same(d.inside, u->value))
			return kt_ir_convert(o->in->module, o->unknowns[u->digits + d.is_rest].value, v->type, KT_IR_AS_VALUE);
	}
	return v;
}
