/*
 * Which thread stored what a load loads: the indices of the store are sums of that thread's indices, times constants, and of
 * counters of loops around the store alone. Each index gives an equation with the load's; so does a condition around the
 * store that compares for equality.
 *
 * All indices are of elements of shared memory and less than 2^32, so that equations are solved modulo that number: what
 * is no thread of the block is found by its bounds.
 */
#include "generation/ir/normal.h"
#include "generation/ir/unstage_parts.h"

enum { WORD = 32 };

static struct kt_ir_unknown *unknown_of(struct kt_ir_origin *o, const struct kt_ir_value *atom)
{
	for (size_t i = 0; i < o->unknown_count; i++)
		if (kt_ir_same(o->unknowns[i].atom, atom))
			return &o->unknowns[i];
	return NULL;
}

/* Is it none of the unknowns, and known at the load, too? */
static bool is_known(const struct kt_ir_value *v, void *context)
{
	struct kt_ir_origin *o = context;
	const struct kt_ir_statement *definition;

	if (v->op != KT_IR_READ || v->symbol->kind == KT_IR_ARGUMENT)
		return unknown_of(o, v) == NULL;
	definition = kt_ir_definition(o->in, v->symbol);
	return unknown_of(o, v) == NULL && definition != NULL && kt_ir_is_in_sight(o, definition);
}

/* The number of its iteration is what is sought, where that is known. */
static struct kt_ir_unknown counter_of(const struct kt_ir_origin *o, const struct kt_ir_statement *loop)
{
	struct kt_ir_unknown u = {kt_ir_read(o->in->module, loop->symbol), loop, 0, 0, 1, NULL};
	const struct kt_ir_range range = kt_ir_range_of(&o->in->bounds, u.atom);
	int64_t start, step;

	if (!kt_ir_is_constant(loop->value, &start) || !kt_ir_is_constant(loop->further[1], &step) || step <= 0 || step > INT32_MAX ||
	    start > INT32_MAX || start < INT32_MIN || range.greatest > INT32_MAX)
		return u;
	u.start = start;
	u.step = step;
	u.extent = (range.greatest - start) / step + 1;
	return u;
}

static bool add_unknowns(struct kt_ir_origin *o)
{
	struct kt_ir_module *m = o->in->module;

	for (unsigned d = 0; d < 3; d++) {
		const struct kt_ir_value *axis = kt_ir_axis(m, KT_IR_THREAD, d);

		o->unknowns[o->unknown_count++] = (struct kt_ir_unknown){
		    axis, NULL, o->in->block[d], 0, 1, o->in->block[d] == 1 ? kt_ir_constant(m, axis->type, 0) : NULL};
	}
	for (size_t i = o->shared; i + 1 < o->to_store.count; i++) {
		const struct kt_ir_statement *s = o->to_store.at[i];

		if (s->kind == KT_IR_S_IF)
			continue;
		if (s->kind != KT_IR_S_FOR || o->unknown_count == KT_IR_MOST_UNKNOWNS)
			return kt_ir_unstage_refuses(o->in, o->store, "a loop around a store to shared memory has no counter");
		o->unknowns[o->unknown_count++] = counter_of(o, s);
	}
	return true;
}

/*
 * A sum of the store: terms of unknowns that are not solved, in order of their factors, and the rest over what the load knows.
 * False: it is no such sum.
 */
static bool divide(struct kt_ir_form *rest, struct kt_ir_unknown **parts, int64_t *factors, size_t *count,
		   struct kt_ir_origin *o, const struct kt_ir_form *sum)
{
	*rest = (struct kt_ir_form){.bits = sum->bits, .constant = sum->constant};
	*count = 0;
	for (size_t i = 0; i < sum->count; i++) {
		const struct kt_ir_term *t = &sum->terms[i];
		struct kt_ir_unknown *u = t->count == 1 ? unknown_of(o, t->atoms[0]) : NULL;
		const struct kt_ir_form start = {.bits = 128, .constant = u == NULL ? 0 : u->start};
		struct kt_ir_form solved;
		int64_t factor = t->factor;
		size_t at = *count;

		if (u == NULL) {
			for (unsigned k = 0; k < t->count; k++)
				if (!kt_ir_visit_value(t->atoms[k], is_known, o) ||
				    kt_ir_sharing_of(&o->in->uniformity, t->atoms[k]) == KT_IR_OF_THREAD ||
				    !kt_ir_is_steady(&o->in->lets, t->atoms[k]) || kt_ir_varies(o, t->atoms[k]))
					return false;
			if (!kt_ir_sum_add_term(rest, t))
				return false;
			continue;
		}
		if (u->value != NULL) {
			if (!kt_ir_form_of(&solved, &o->in->lets, u->value, false) || !kt_ir_sum_add(rest, &solved, t->factor))
				return false;
			continue;
		}
		if (!kt_ir_sum_add(rest, &start, t->factor) || __builtin_mul_overflow(t->factor, u->step, &factor))
			return false;
		for (; at > 0 && factors[at - 1] > factor; at--) {
			parts[at] = parts[at - 1];
			factors[at] = factors[at - 1];
		}
		parts[at] = u;
		factors[at] = factor;
		++*count;
	}
	return true;
}

/* ---- Equations ---- */

static bool ask(struct kt_ir_origin *o, const struct kt_ir_value *condition)
{
	if (o->asked_count == KT_IR_MOST_ASKED)
		return kt_ir_unstage_refuses(o->in, o->store, "the thread that stores has too many conditions");
	o->asked[o->asked_count++] = condition;
	return true;
}

/* Terms whose factors are multiples of the number, divided by it, and the rest; false: the rest is not below the number. */
static bool split(struct kt_ir_form *high, struct kt_ir_form *low, const struct kt_ir_origin *o, const struct kt_ir_form *sum,
		  int64_t number)
{
	struct kt_ir_range range, all = kt_ir_range_of_form(&o->in->bounds, sum);
	const int64_t carried = sum->constant / number - (sum->constant % number < 0);

	*high = (struct kt_ir_form){.bits = sum->bits, .constant = carried};
	*low = (struct kt_ir_form){.bits = sum->bits, .constant = sum->constant - carried * number};
	for (size_t i = 0; i < sum->count; i++) {
		struct kt_ir_form *to = sum->terms[i].factor % number == 0 ? high : low;

		to->terms[to->count] = sum->terms[i];
		if (to == high)
			to->terms[to->count].factor /= number;
		to->count++;
	}
	range = kt_ir_range_of_form(&o->in->bounds, low);
	/* A sum that wraps is divided otherwise than its terms. */
	return range.least >= 0 && range.greatest < number && all.least >= 0 && all.greatest < (kt_ir_wide)1 << WORD;
}

static const struct kt_ir_value *by_number(struct kt_ir_module *m, enum kt_ir_op op, const struct kt_ir_value *v, int64_t number)
{
	return kt_ir_folded(m, kt_ir_apply(m, op, v, kt_ir_constant(m, v->type, number), NULL));
}

static const struct kt_ir_type *word(struct kt_ir_module *m)
{
	return kt_ir_integer(m, WORD, false);
}

/* An index of the thread is one of the block's. */
static bool ask_extent(struct kt_ir_origin *o, const struct kt_ir_unknown *u)
{
	struct kt_ir_module *m = o->in->module;
	const struct kt_ir_value *extent =
	    u->extent > 0 ? kt_ir_constant(m, word(m), (int64_t)u->extent) : kt_ir_axis(m, KT_IR_BLOCK_DIM, u->atom->dimension);

	return u->loop != NULL || ask(o, kt_ir_apply(m, KT_IR_LT, u->value, extent, NULL));
}

static void give(struct kt_ir_origin *o, struct kt_ir_unknown *u, const struct kt_ir_value *value)
{
	struct kt_ir_module *m = o->in->module;
	const struct kt_ir_type *type = u->atom->type;

	value = kt_ir_convert(m, value, type, KT_IR_AS_VALUE);
	if (u->step != 1)
		value = kt_ir_apply(m, KT_IR_MUL, value, kt_ir_constant(m, type, u->step), NULL);
	if (u->start != 0)
		value = kt_ir_apply(m, KT_IR_ADD, value, kt_ir_constant(m, type, u->start), NULL);
	u->value = kt_ir_fold_all(m, value);
}

/* The digits of a number whose places are these parts: sum of part times factor. */
static bool solve_digits(struct kt_ir_origin *o, struct kt_ir_form number, struct kt_ir_unknown **parts, const int64_t *factors,
			 size_t count)
{
	struct kt_ir_module *m = o->in->module;
	const struct kt_ir_value *value = NULL;

	for (size_t i = 0; i < count; i++) {
		const int64_t digits = i + 1 < count ? factors[i + 1] / factors[i] : 0;
		struct kt_ir_form high, low;

		if (digits != 0 && value == NULL && split(&high, &low, o, &number, digits)) {
			give(o, parts[i], kt_ir_sum_value(m, &low, word(m)));
			number = high;
		} else {
			value = value == NULL ? kt_ir_sum_value(m, &number, word(m)) : value;
			give(o, parts[i], digits == 0 ? value : by_number(m, KT_IR_REM, value, digits));
			value = digits == 0 ? value : by_number(m, KT_IR_DIV, value, digits);
		}
		if (!ask_extent(o, parts[i]))
			return false;
	}
	return true;
}

/* A counter of 64 bits may be past 2^32: the one unknown of an equation of such numbers. */
static bool solve_wide(struct kt_ir_origin *o, const struct kt_ir_form *number, struct kt_ir_unknown *u)
{
	if (number->bits < 64 || u->step != 1 || u->start != 0)
		return false;
	give(o, u, kt_ir_sum_value(o->in->module, number, u->atom->type));
	return true;
}

/* One equation: a sum of the store is a sum of the load. False: it has no one solution so far. */
static bool solve(struct kt_ir_origin *o, const struct kt_ir_form *sum, const struct kt_ir_form *is, bool is_condition, bool *failed)
{
	struct kt_ir_unknown *parts[KT_IR_FORM_TERMS];
	int64_t factors[KT_IR_FORM_TERMS];
	struct kt_ir_form rest, number;
	struct kt_ir_module *m = o->in->module;
	size_t count;

	if (!divide(&rest, parts, factors, &count, o, sum) || !kt_ir_form_minus(&number, is, &rest))
		return false;
	if (count == 0 && is_condition)
		return true;
	if (count == 0) {
		*failed = !ask(o, kt_ir_fold_all(m, kt_ir_apply(m, KT_IR_EQ, kt_ir_sum_value(m, is, word(m)), kt_ir_sum_value(m, &rest, word(m)), NULL)));
		return !*failed;
	}
	if (count == 1 && factors[0] == -1) {
		if (!kt_ir_form_minus(&number, &rest, is))
			return false;
	} else if (factors[0] != 1) {
		return false;
	}
	for (size_t i = 0; i + 1 < count; i++)
		if (factors[i + 1] % factors[i] != 0 || parts[i]->extent <= 0 || parts[i]->extent > factors[i + 1] / factors[i])
			return false;
	for (size_t i = 0; i < count; i++)
		if (parts[i]->atom->type->bits > WORD)
			return count == 1 && solve_wide(o, &number, parts[0]);
	*failed = !solve_digits(o, number, parts, factors, count);
	return !*failed;
}

/* ---- Loops of the store alone ---- */

/*
 * Iterations of `for (i = start + thread; i < end; i += threads)`: each i from start on is one thread's. Threads are numbered
 * by all axes that are not solved, in any order of digits.
 */
static bool solve_start(struct kt_ir_origin *o, const struct kt_ir_unknown *u, bool *failed)
{
	struct kt_ir_unknown *parts[KT_IR_FORM_TERMS];
	int64_t factors[KT_IR_FORM_TERMS], step, threads = 1;
	struct kt_ir_module *m = o->in->module;
	struct kt_ir_form low, rest, solved, number;
	const struct kt_ir_value *value;
	size_t count;

	if (!kt_ir_is_constant(u->loop->further[1], &step) || step <= 0)
		return false;
	if (!kt_ir_form_of(&low, &o->in->lets, u->loop->value, false) || !divide(&rest, parts, factors, &count, o, &low) ||
	    !kt_ir_form_of(&solved, &o->in->lets, u->value, false) || !kt_ir_form_minus(&number, &solved, &rest))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (parts[i]->loop != NULL || parts[i]->extent <= 0 || factors[i] != threads)
			return false;
		threads *= (int64_t)parts[i]->extent;
	}
	if (count > 0 && threads != step)
		return false;
	value = kt_ir_fold_all(m, kt_ir_sum_value(m, &number, u->atom->type));
	*failed = !ask(o, kt_ir_apply(m, KT_IR_GE, u->value, kt_ir_sum_value(m, &rest, u->atom->type), NULL)) ||
		(count == 0 && step != u->step && !ask(o, by_number(m, KT_IR_EQ, by_number(m, KT_IR_REM, value, step), 0)));
	if (*failed)
		return false;
	for (size_t i = 0; i < count; i++) {
		give(o, parts[i], by_number(m, KT_IR_REM, value, (int64_t)parts[i]->extent));
		value = by_number(m, KT_IR_DIV, value, (int64_t)parts[i]->extent);
	}
	return true;
}

struct equation {
	struct kt_ir_form sum, is;
	bool is_solved, is_condition;
};

struct equations {
	size_t count;
	struct equation list[2 * KT_IR_MOST_UNKNOWNS];
};

static bool add_equation(struct equations *all, struct kt_ir_origin *o, const struct kt_ir_value *a, const struct kt_ir_value *b,
			 bool is_condition)
{
	struct equation *e = &all->list[all->count];

	if (all->count == sizeof all->list / sizeof *all->list || !kt_ir_form_of(&e->sum, &o->in->lets, a, false))
		return false;
	e->is = (struct kt_ir_form){.bits = 128};
	e->is_solved = false;
	e->is_condition = is_condition;
	if (b != NULL && !kt_ir_form_of(&e->is, &o->in->lets, b, false))
		return false;
	all->count++;
	return true;
}

/* The steps of both places, as far as both have them. */
static bool read_places(struct equations *all, struct kt_ir_origin *o)
{
	const struct kt_ir_place *from = o->load->place, *to = o->store->place;

	if (to->count > from->count)
		return kt_ir_unstage_refuses(o->in, o->load, "shared memory is stored to in parts, and loaded as a whole");
	for (size_t i = 0; i < from->count; i++) {
		const struct kt_ir_step *a = &from->steps[i], *b = i < to->count ? &to->steps[i] : NULL;

		if (b == NULL ? a->kind != KT_IR_FIELD && a->kind != KT_IR_LANE_OF : a->kind != b->kind || a->type != b->type)
			return kt_ir_unstage_refuses(o->in, o->load, "shared memory is stored to and loaded as different types");
		if (b == NULL)
			continue;
		o->is_elsewhere |= (a->kind == KT_IR_FIELD || a->kind == KT_IR_LANE_OF) && a->number != b->number;
		if (a->kind == KT_IR_INDEX && !add_equation(all, o, b->index, a->index, false))
			return kt_ir_unstage_refuses(o->in, o->store, "an index of shared memory is no sum");
	}
	return true;
}

static void read_condition(struct equations *all, struct kt_ir_origin *o, const struct kt_ir_value *condition)
{
	struct kt_ir_form a, b, sum;

	condition = kt_ir_behind_let(&o->in->lets, condition);
	for (size_t i = 0; condition->op == KT_IR_BOTH && i < 2; i++)
		read_condition(all, o, condition->arguments[i]);
	if (condition->op != KT_IR_EQ || condition->arguments[0]->type->kind != KT_IR_INTEGER ||
	    !kt_ir_form_of(&a, &o->in->lets, condition->arguments[0], false) ||
	    !kt_ir_form_of(&b, &o->in->lets, condition->arguments[1], false) || !kt_ir_form_minus(&sum, &a, &b) ||
	    !add_equation(all, o, condition->arguments[0], NULL, true))
		return;
	all->list[all->count - 1].sum = sum;
}

static void read_conditions(struct equations *all, struct kt_ir_origin *o)
{
	for (size_t i = 0; i + 1 < o->to_store.count; i++) {
		const struct kt_ir_statement *s = o->to_store.at[i];

		if (s->kind == KT_IR_S_IF && o->to_store.lists[i + 1] == &s->body)
			read_condition(all, o, s->value);
	}
}

static bool solve_all(struct equations *all, struct kt_ir_origin *o, bool *failed)
{
	bool is_new = true, started[KT_IR_MOST_UNKNOWNS] = {false};

	while (is_new && !*failed) {
		is_new = false;
		for (size_t i = 0; i < all->count && !*failed; i++) {
			struct equation *e = &all->list[i];

			if (!e->is_solved && solve(o, &e->sum, &e->is, e->is_condition, failed))
				is_new = e->is_solved = true;
		}
		for (size_t i = 0; i < o->unknown_count && !*failed; i++)
			if (o->unknowns[i].loop != NULL && o->unknowns[i].value != NULL && !started[i] &&
			    solve_start(o, &o->unknowns[i], failed))
				is_new = started[i] = true;
	}
	for (size_t i = 0; i < all->count; i++)
		if (!all->list[i].is_solved && !all->list[i].is_condition)
			return false;
	for (size_t i = 0; i < o->unknown_count; i++)
		if (o->unknowns[i].loop != NULL && !started[i])
			return false;
	return !*failed;
}

bool kt_ir_find_owner(struct kt_ir_origin *o)
{
	struct equations all = {0};
	bool failed = false;
	int64_t number;

	if (!add_unknowns(o) || !read_places(&all, o))
		return false;
	read_conditions(&all, o);
	if (!solve_all(&all, o, &failed))
		return failed ? false : kt_ir_unstage_refuses(o->in, o->store, "it is not known which thread stores what another one loads");
	for (size_t i = 0; i < o->asked_count; i++)
		o->is_elsewhere |= kt_ir_is_constant(o->asked[i], &number) && number == 0;
	return true;
}
