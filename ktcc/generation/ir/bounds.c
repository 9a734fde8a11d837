/* Ranges by intervals, comparisons by ranges and by differences of sums. */
#include "generation/ir/bounds.h"

#include <string.h>

#include "generation/ir/walk.h"

static const kt_ir_wide most_blocks = 2147483647, most_threads = 1024;

/* ---- Ranges ---- */

static struct kt_ir_range of_type(const struct kt_ir_type *type)
{
	const kt_ir_wide one = 1;

	if (type->kind != KT_IR_INTEGER || type->bits > 64)
		return (struct kt_ir_range){0, type->kind == KT_IR_BOOL};
	if (type->is_signed)
		return (struct kt_ir_range){-(one << (type->bits - 1)), (one << (type->bits - 1)) - 1};
	return (struct kt_ir_range){0, (one << type->bits) - 1};
}

static struct kt_ir_range between(kt_ir_wide least, kt_ir_wide greatest)
{
	return (struct kt_ir_range){least, greatest};
}

static struct kt_ir_range product(struct kt_ir_range a, struct kt_ir_range b)
{
	const kt_ir_wide ends[4] = {a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest};
	struct kt_ir_range all = {ends[0], ends[0]};

	for (int i = 1; i < 4; i++) {
		all.least = ends[i] < all.least ? ends[i] : all.least;
		all.greatest = ends[i] > all.greatest ? ends[i] : all.greatest;
	}
	return all;
}

/* The range as a result of that type: what does not fit wraps, or does not happen. */
static struct kt_ir_range fitted(struct kt_ir_range r, const struct kt_ir_type *type, bool never_wraps)
{
	const struct kt_ir_range all = of_type(type);

	if (r.least >= all.least && r.greatest <= all.greatest)
		return r;
	if (!never_wraps || r.least > all.greatest || r.greatest < all.least)
		return all;
	return between(r.least > all.least ? r.least : all.least, r.greatest < all.greatest ? r.greatest : all.greatest);
}

static struct kt_ir_range of_axis(const struct kt_ir_bounds *b, const struct kt_ir_value *v)
{
	const kt_ir_wide threads = b->block[v->dimension] > 0 ? b->block[v->dimension] : most_threads;

	switch (v->axis) {
	case KT_IR_THREAD:
		return between(0, threads - 1);
	case KT_IR_BLOCK_DIM:
		return between(b->block[v->dimension] > 0 ? threads : 1, threads);
	case KT_IR_BLOCK:
		return between(0, most_blocks - 1);
	case KT_IR_GRID_DIM:
		return between(1, most_blocks);
	default:
		return between(0, 32);
	}
}

/* Operations with a positive constant on the right. */
static struct kt_ir_range by_constant(const struct kt_ir_value *v, struct kt_ir_range a, int64_t number)
{
	const struct kt_ir_range all = of_type(v->type);

	if (v->op == KT_IR_AND && number >= 0)
		return between(0, number);
	if (a.least < 0 || number <= 0)
		return all;
	if (v->op == KT_IR_REM)
		return between(0, a.greatest < number ? a.greatest : number - 1);
	if (v->op == KT_IR_DIV)
		return between(a.least / number, a.greatest / number);
	return v->op == KT_IR_SHR && number < 63 ? between(a.least >> number, a.greatest >> number) : all;
}

static struct kt_ir_range of_pair(const struct kt_ir_value *v, struct kt_ir_range a, struct kt_ir_range b)
{
	int64_t number;

	switch (v->op) {
	case KT_IR_ADD:
		return fitted(between(a.least + b.least, a.greatest + b.greatest), v->type, v->no_wrap);
	case KT_IR_SUB:
		return fitted(between(a.least - b.greatest, a.greatest - b.least), v->type, v->no_wrap);
	case KT_IR_MUL:
		/* Two factors of 64 bits may have no product of 128. */
		return v->type->bits > 32 && !kt_ir_is_constant(v->arguments[1], &number)
			   ? of_type(v->type)
			   : fitted(product(a, b), v->type, v->no_wrap);
	default:
		return kt_ir_is_constant(v->arguments[1], &number) ? by_constant(v, a, number) : of_type(v->type);
	}
}

static bool is_call(const struct kt_ir_value *v, const char *name)
{
	return v->op == KT_IR_INTRINSIC && strcmp(v->name, name) == 0;
}

static struct kt_ir_range lower_of(struct kt_ir_range a, struct kt_ir_range b)
{
	return between(a.least < b.least ? a.least : b.least, a.greatest < b.greatest ? a.greatest : b.greatest);
}

struct kt_ir_range kt_ir_range_of(const struct kt_ir_bounds *b, const struct kt_ir_value *v)
{
	const bool has_two = v->count == 2 && v->op != KT_IR_CONSTRUCT;
	struct kt_ir_range first, second;
	int64_t number;

	if (kt_ir_is_constant(v, &number))
		return between(kt_ir_wide_of(v->type, v->bits), kt_ir_wide_of(v->type, v->bits));
	if (v->type->kind != KT_IR_INTEGER || v->type->bits > 64)
		return of_type(v->type);
	if (v->op == KT_IR_AXIS)
		return of_axis(b, v);
	if (v->op == KT_IR_READ)
		return v->symbol->id < b->count && b->is_known[v->symbol->id] ? b->ranges[v->symbol->id] : of_type(v->type);
	if (v->op == KT_IR_CONVERT)
		return v->arguments[0]->type->kind == KT_IR_INTEGER && v->arguments[0]->type->bits <= 64
			   ? fitted(kt_ir_range_of(b, v->arguments[0]), v->type, false)
			   : of_type(v->type);
	if (!has_two || (v->op == KT_IR_INTRINSIC && !is_call(v, "min")))
		return of_type(v->type);
	first = kt_ir_range_of(b, v->arguments[0]);
	second = kt_ir_range_of(b, v->arguments[1]);
	return v->op == KT_IR_INTRINSIC ? fitted(lower_of(first, second), v->type, false) : of_pair(v, first, second);
}

static struct kt_ir_range of_counter(const struct kt_ir_bounds *b, const struct kt_ir_statement *loop)
{
	const struct kt_ir_range low = kt_ir_range_of(b, loop->value), high = kt_ir_range_of(b, loop->further[0]);
	int64_t step;

	return kt_ir_is_constant(loop->further[1], &step) && step > 0 && low.least < high.greatest
		   ? between(low.least, high.greatest - 1)
		   : of_type(loop->symbol->type);
}

/* What a let reads is defined before it: the range of each is found once. */
static bool note_range(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_bounds *b = context;
	const uint32_t id = s->symbol != NULL ? s->symbol->id : 0;

	if (s->kind != KT_IR_S_FOR && (s->kind != KT_IR_S_LET || b->lets->values[id] == NULL))
		return true;
	b->ranges[id] = s->kind == KT_IR_S_FOR ? of_counter(b, s) : kt_ir_range_of(b, s->value);
	b->is_known[id] = true;
	return true;
}

bool kt_ir_bounds_of(struct kt_ir_bounds *b, struct kt_arena *arena, const struct kt_ir_module *module,
		     const struct kt_ir_lets *lets, const int64_t *block)
{
	*b = (struct kt_ir_bounds){.lets = lets, .block = block, .count = module->next_id};
	b->ranges = kt_arena_array(arena, b->count + 1, sizeof *b->ranges);
	b->is_known = kt_arena_array(arena, b->count + 1, sizeof *b->is_known);
	return b->ranges != NULL && b->is_known != NULL && kt_ir_visit(&module->last_function->body, note_range, b);
}

struct kt_ir_range kt_ir_range_of_form(const struct kt_ir_bounds *b, const struct kt_ir_form *form)
{
	const kt_ir_wide far = (kt_ir_wide)1 << 100;
	struct kt_ir_range sum = between(form->constant, form->constant);

	for (size_t i = 0; i < form->count; i++) {
		const struct kt_ir_term *t = &form->terms[i];
		struct kt_ir_range one = between(t->factor, t->factor);

		for (unsigned k = 0; k < t->count; k++) {
			const struct kt_ir_range atom = kt_ir_range_of(b, t->atoms[k]);

			if (one.least < -((kt_ir_wide)1 << 62) || one.greatest > (kt_ir_wide)1 << 62)
				return between(-far, far);
			one = product(one, atom);
		}
		sum = between(sum.least + one.least, sum.greatest + one.greatest);
		if (sum.least < -far || sum.greatest > far)
			return between(-far, far);
	}
	return sum;
}

bool kt_ir_is_beyond(const struct kt_ir_bounds *b, const struct kt_ir_form *form, kt_ir_wide most, kt_ir_wide modulus)
{
	const struct kt_ir_range range = kt_ir_range_of_form(b, form);
	const kt_ir_wide turns = range.least / modulus - (range.least % modulus < 0);

	return range.least - turns * modulus > most && range.greatest - turns * modulus < modulus;
}

/* ---- Conditions ---- */

/* As lower < upper or lower <= upper; false: it is no such comparison of integers. */
static bool read_fact(struct kt_ir_fact *fact, const struct kt_ir_value *v)
{
	const bool is_less = v->op == KT_IR_LT || v->op == KT_IR_LE, is_greater = v->op == KT_IR_GT || v->op == KT_IR_GE;

	if ((!is_less && !is_greater) || v->arguments[0]->type->kind != KT_IR_INTEGER || v->arguments[0]->type->bits > 64)
		return false;
	*fact = (struct kt_ir_fact){v->arguments[is_greater], v->arguments[is_less], v->op == KT_IR_LT || v->op == KT_IR_GT};
	return true;
}

/* Below the lower one of two numbers is below both. What held of a local may hold no more. */
static void add_fact(struct kt_ir_known *known, const struct kt_ir_lets *lets, struct kt_ir_fact fact)
{
	const struct kt_ir_value *upper = kt_ir_behind_let(lets, fact.upper);

	if (known->count == KT_IR_MOST_FACTS || !kt_ir_is_steady(lets, fact.lower) || !kt_ir_is_steady(lets, fact.upper))
		return;
	known->facts[known->count++] = fact;
	for (int i = 0; i < 2 && is_call(upper, "min"); i++)
		add_fact(known, lets, (struct kt_ir_fact){fact.lower, upper->arguments[i], fact.is_strict});
}

void kt_ir_conjuncts_of(struct kt_ir_conjuncts *all, const struct kt_ir_lets *lets, const struct kt_ir_value *condition)
{
	*all = (struct kt_ir_conjuncts){.count = 1, .list = {condition}};
	for (size_t i = 0; i < all->count; i++) {
		const struct kt_ir_value *v = all->list[i] = kt_ir_behind_let(lets, all->list[i]);

		if (v->op != KT_IR_BOTH || all->count == KT_IR_MOST_FACTS)
			continue;
		all->list[i--] = v->arguments[0];
		all->list[all->count++] = v->arguments[1];
	}
}

void kt_ir_know(struct kt_ir_known *known, const struct kt_ir_lets *lets, const struct kt_ir_value *condition)
{
	struct kt_ir_conjuncts all;
	struct kt_ir_fact fact;

	kt_ir_conjuncts_of(&all, lets, condition);
	for (size_t i = 0; i < all.count; i++)
		if (read_fact(&fact, all.list[i]))
			add_fact(known, lets, fact);
}

void kt_ir_know_loop(struct kt_ir_known *known, struct kt_ir_module *module, const struct kt_ir_lets *lets,
		     const struct kt_ir_statement *loop)
{
	int64_t step;

	if (loop->kind == KT_IR_S_FOR && kt_ir_is_constant(loop->further[1], &step) && step > 0)
		add_fact(known, lets, (struct kt_ir_fact){kt_ir_read(module, loop->symbol), loop->further[0], true});
}

/* upper - lower; false: there is no such form. */
static bool difference(struct kt_ir_form *form, struct kt_ir_form *lower, struct kt_ir_form *upper,
		       const struct kt_ir_lets *lets, const struct kt_ir_fact *fact)
{
	return kt_ir_form_of(lower, lets, fact->lower, false) && kt_ir_form_of(upper, lets, fact->upper, false) &&
	       kt_ir_form_minus(form, upper, lower);
}

/* Are they the same sum, of which a value of the type is the same number? */
static bool is_cut(const struct kt_ir_form *a, const struct kt_ir_form *b, const struct kt_ir_type *type)
{
	struct kt_ir_form d;
	int64_t number;

	return a->bits == b->bits && (a->bits == 128 || a->bits == type->bits) && kt_ir_form_minus(&d, a, b) &&
	       kt_ir_form_is_constant(&d, &number) && number == 0;
}

/* Is the value of the comparison's sides the very sum, given that the lower one is not above the upper one? */
static bool is_exact(const struct kt_ir_bounds *b, const struct kt_ir_type *type, const struct kt_ir_form *lower,
		     const struct kt_ir_form *upper)
{
	const struct kt_ir_range all = of_type(type);

	return (lower->bits == 128 || lower->bits == type->bits) && (upper->bits == 128 || upper->bits == type->bits) &&
	       kt_ir_range_of_form(b, lower).least >= all.least && kt_ir_range_of_form(b, upper).greatest <= all.greatest;
}

static bool follows_from(const struct kt_ir_bounds *b, const struct kt_ir_fact *wanted, const struct kt_ir_fact *fact)
{
	struct kt_ir_form d, lower, upper, known, known_lower, known_upper, rest;
	int64_t number;

	if (!difference(&d, &lower, &upper, b->lets, wanted) ||
	    !difference(&known, &known_lower, &known_upper, b->lets, fact))
		return false;
	/* The same two sums, cut alike. */
	if (wanted->lower->type == fact->lower->type && is_cut(&lower, &known_lower, wanted->lower->type) &&
	    is_cut(&upper, &known_upper, wanted->lower->type))
		return fact->is_strict || !wanted->is_strict;
	if (known_lower.bits != 128 || known_upper.bits != 128 || !kt_ir_form_minus(&rest, &d, &known) ||
	    !kt_ir_form_is_constant(&rest, &number))
		return false;
	return number + fact->is_strict >= wanted->is_strict && is_exact(b, wanted->lower->type, &lower, &upper);
}

static bool one_follows(const struct kt_ir_bounds *b, const struct kt_ir_known *known, const struct kt_ir_value *condition)
{
	struct kt_ir_fact wanted;
	int64_t number;

	if (kt_ir_is_constant(condition, &number))
		return number != 0;
	if (!read_fact(&wanted, condition))
		return false;
	if (kt_ir_range_of(b, wanted.lower).greatest + wanted.is_strict <= kt_ir_range_of(b, wanted.upper).least)
		return true;
	for (size_t i = 0; i < known->count; i++)
		if (follows_from(b, &wanted, &known->facts[i]))
			return true;
	return false;
}

bool kt_ir_follows(const struct kt_ir_bounds *b, const struct kt_ir_known *known, const struct kt_ir_value *condition)
{
	struct kt_ir_conjuncts all;

	kt_ir_conjuncts_of(&all, b->lets, condition);
	for (size_t i = 0; i < all.count; i++)
		if (!one_follows(b, known, all.list[i]))
			return false;
	return true;
}
