/*
 * Which thread stored what a load loads: the indices of the store are sums of that thread's indices, times constants, and of
 * counters of loops around the store alone. Their place in the array gives an equation with the load's; so does a condition around
 * the store that compares for equality.
 *
 * Places are numbers of elements from the array's begin, whatever number of indices leads there, and less than 2^32, so that
 * equations are solved modulo that number: what is no thread of the block, or no iteration, is found by its bounds.
 */
#include "generation/ir/normal.h"
#include "generation/ir/unstage_parts.h"

enum { WORD = 32 };

static const kt_ir_wide words = (kt_ir_wide)1 << WORD;

static const struct kt_ir_type *word(struct kt_ir_module *m)
{
	return kt_ir_integer(m, WORD, false);
}

/* Is it none of the unknowns, and known at the load, too? */
static bool is_known(const struct kt_ir_origin *o, const struct kt_ir_value *v)
{
	const struct kt_ir_statement *definition;

	if (v->op == KT_IR_AXIS || (v->op == KT_IR_READ && v->symbol->kind == KT_IR_ARGUMENT))
		return true;
	if (v->op != KT_IR_READ)
		return false;
	definition = kt_ir_definition(o->in, v->symbol);
	return definition != NULL && kt_ir_is_in_sight(o, definition);
}

/* The number of its iteration is what is sought, where the loop's start is known; else the counter itself. */
static struct kt_ir_unknown counter_of(const struct kt_ir_origin *o, const struct kt_ir_statement *loop)
{
	struct kt_ir_unknown u = {.atom = kt_ir_read(o->in->module, loop->symbol), .loop = loop, .step = 1};
	struct kt_ir_range range;
	int64_t start, step;

	if (u.atom == NULL)
		return u;
	range = kt_ir_range_of(&o->in->bounds, u.atom);
	if (u.atom->type->bits != WORD || range.greatest >= words)
		return u;
	if (range.least >= 0)
		u.extent = range.greatest + 1;
	if (!kt_ir_is_constant(loop->value, &start) || !kt_ir_is_constant(loop->further[1], &step) || step <= 0 || step > INT32_MAX ||
	    start > INT32_MAX)
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
		const bool is_alone = o->in->block[d] == 1;

		o->unknowns[o->unknown_count++] = (struct kt_ir_unknown){
		    .atom = kt_ir_axis(m, KT_IR_THREAD, d), .extent = o->in->block[d], .step = 1, .value = is_alone ? kt_ir_constant(m, word(m), 0) : NULL};
	}
	if (m->failed)
		return false;
	for (size_t i = o->shared; i + 1 < o->to_store.count; i++) {
		const struct kt_ir_statement *s = o->to_store.at[i];

		if (s->kind == KT_IR_S_IF)
			continue;
		if (s->kind != KT_IR_S_FOR || o->unknown_count == KT_IR_MOST_UNKNOWNS)
			return kt_ir_unstage_refuses(o->in, o->store, "a loop around a store to shared memory has no counter");
		o->unknowns[o->unknown_count++] = counter_of(o, s);
	}
	kt_ir_add_digits(o);
	return !m->failed;
}

/* Parts of a sum that are not solved, in order of their factors. */
struct parts {
	size_t count;
	struct kt_ir_unknown *list[KT_IR_FORM_TERMS];
	int64_t factors[KT_IR_FORM_TERMS];
};

/* A term of what the load knows: the same for all threads of the block, and in all iterations of loops around both. */
static bool is_common(const struct kt_ir_origin *o, const struct kt_ir_term *t)
{
	for (unsigned k = 0; k < t->count; k++)
		if (!is_known(o, t->atoms[k]) || kt_ir_sharing_of(&o->in->uniformity, t->atoms[k]) == KT_IR_OF_THREAD ||
		    !kt_ir_is_steady(&o->in->lets, t->atoms[k]) || kt_ir_varies(o, t->atoms[k]))
			return false;
	return true;
}

static void insert(struct parts *p, struct kt_ir_unknown *u, int64_t factor)
{
	size_t at = p->count++;

	for (; at > 0 && p->factors[at - 1] > factor; at--) {
		p->list[at] = p->list[at - 1];
		p->factors[at] = p->factors[at - 1];
	}
	p->list[at] = u;
	p->factors[at] = factor;
}

/* A sum of the store: parts that are not solved, and the rest over what the load knows. False: it is no such sum. */
static bool divide(struct kt_ir_form *rest, struct parts *parts, struct kt_ir_origin *o, const struct kt_ir_form *sum)
{
	*rest = (struct kt_ir_form){.bits = sum->bits, .constant = sum->constant};
	parts->count = 0;
	for (size_t i = 0; i < sum->count; i++) {
		const struct kt_ir_term *t = &sum->terms[i];
		struct kt_ir_unknown *u = t->count == 1 ? kt_ir_unknown_of(o, t->atoms[0]) : NULL;
		const struct kt_ir_form start = {.bits = 128, .constant = u == NULL ? 0 : u->start};
		struct kt_ir_form solved;
		int64_t factor;

		if (u == NULL) {
			if (!is_common(o, t) || !kt_ir_sum_add_term(rest, t))
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
		insert(parts, u, factor);
	}
	return true;
}

/* ---- Equations ---- */

static bool ask(struct kt_ir_origin *o, const struct kt_ir_value *condition)
{
	if (condition == NULL)
		return kt_ir_unstage_refuses(o->in, o->store, "out of memory");
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
	return range.least >= 0 && range.greatest < number && all.least >= 0 && all.greatest < words;
}

static const struct kt_ir_value *by_number(struct kt_ir_module *m, enum kt_ir_op op, const struct kt_ir_value *v, int64_t number)
{
	return v == NULL ? NULL : kt_ir_fold_all(m, kt_ir_apply(m, op, v, kt_ir_constant(m, v->type, number), NULL));
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

/*
 * An index of the thread is one of the block's: asked, unless the sum that it is (NULL: it is none) always is. Of iterations the
 * loop's bounds are asked.
 */
static bool ask_extent(struct kt_ir_origin *o, const struct kt_ir_unknown *u, const struct kt_ir_form *sum)
{
	struct kt_ir_module *m = o->in->module;
	const struct kt_ir_range range = sum != NULL ? kt_ir_range_of_form(&o->in->bounds, sum) : (struct kt_ir_range){-1, -1};

	if (u->loop != NULL || (range.least >= 0 && range.greatest < u->extent))
		return true;
	return ask(o, u->value == NULL ? NULL : kt_ir_apply(m, KT_IR_LT, u->value, kt_ir_constant(m, u->value->type, (int64_t)u->extent), NULL));
}

static const struct kt_ir_value *is_zero(struct kt_ir_module *m, const struct kt_ir_value *v)
{
	return by_number(m, KT_IR_EQ, v, 0);
}

/* A number as a sum, or, where that could wrap, as a value. */
struct number {
	struct kt_ir_form sum;
	const struct kt_ir_value *value;
};

static const struct kt_ir_value *value_of(const struct number *n, const struct kt_ir_origin *o)
{
	return n->value != NULL ? n->value : kt_ir_sum_value(o->in->module, &n->sum, word(o->in->module));
}

/* Takes the rest of the division off the number. */
static struct number take_rest(struct number *n, const struct kt_ir_origin *o, int64_t divisor)
{
	struct kt_ir_module *m = o->in->module;
	const struct kt_ir_value *value;
	struct kt_ir_form high, low;

	if (n->value == NULL && split(&high, &low, o, &n->sum, divisor)) {
		n->sum = high;
		return (struct number){low, NULL};
	}
	value = value_of(n, o);
	n->value = by_number(m, KT_IR_DIV, value, divisor);
	return (struct number){.value = by_number(m, KT_IR_REM, value, divisor)};
}

/* The digits of a number of units, of parts each of whose factors is a multiple of the one before. */
static bool solve_digits(struct kt_ir_origin *o, struct number n, const struct parts *p, size_t first, size_t end, int64_t unit)
{
	struct number rest;

	if (p->factors[first] > unit) {
		rest = take_rest(&n, o, p->factors[first] / unit);
		if (!ask(o, is_zero(o->in->module, value_of(&rest, o))))
			return false;
	}
	for (size_t i = first; i < end; i++) {
		const bool is_last = i + 1 == end;

		rest = is_last ? n : take_rest(&n, o, p->factors[i + 1] / p->factors[i]);
		give(o, p->list[i], value_of(&rest, o));
		if (!ask_extent(o, p->list[i], is_last && n.value == NULL ? &n.sum : NULL))
			return false;
	}
	return true;
}

/* Parts whose sum is the number, those of the greatest factors first. */
static bool solve_parts(struct kt_ir_origin *o, const struct kt_ir_form *sum, const struct parts *p)
{
	struct number n = {*sum, NULL};

	for (size_t end = p->count, first; end > 0; end = first) {
		struct number low = n;

		for (first = end - 1; first > 0 && p->factors[first] % p->factors[first - 1] == 0;)
			first--;
		if (first > 0)
			low = take_rest(&n, o, p->factors[first]);
		if (!solve_digits(o, n, p, first, end, first > 0 ? p->factors[first] : 1))
			return false;
		n = low;
	}
	return true;
}

/* Has each number at most one such sum, modulo 2^32? Then each part is more than those of lesser factors together. */
static bool has_one_solution(const struct parts *p)
{
	kt_ir_wide reach = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i]->extent <= 0 || p->factors[i] <= 0 || p->factors[i] <= reach)
			return false;
		reach += (p->list[i]->extent - 1) * p->factors[i];
	}
	return reach < words;
}

/* Is the number none that the parts can be together, modulo 2^32? */
static bool is_out_of_reach(const struct kt_ir_origin *o, const struct kt_ir_form *number, const struct parts *p)
{
	kt_ir_wide most = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i]->extent <= 0 || p->factors[i] <= 0)
			return false;
		most += (p->list[i]->extent - 1) * p->factors[i];
	}
	return kt_ir_is_beyond(&o->in->bounds, number, most, words);
}

/* One equation: a sum of the store is a sum of the load. False: it has no one solution so far. */
static bool solve(struct kt_ir_origin *o, const struct kt_ir_form *sum, const struct kt_ir_form *is, bool is_condition, bool *failed)
{
	struct parts parts;
	struct kt_ir_form rest, number;
	struct kt_ir_module *m = o->in->module;

	if (!divide(&rest, &parts, o, sum) || !kt_ir_form_minus(&number, is, &rest))
		return false;
	if (parts.count == 0 && is_condition)
		return true;
	if (parts.count == 0) {
		*failed = !ask(o, kt_ir_fold_all(m, kt_ir_apply(m, KT_IR_EQ, kt_ir_sum_value(m, is, word(m)), kt_ir_sum_value(m, &rest, word(m)), NULL)));
		return !*failed;
	}
	if (parts.count == 1 && parts.factors[0] < 0 && parts.factors[0] >= -INT32_MAX) {
		if (!kt_ir_form_minus(&number, &rest, is))
			return false;
		parts.factors[0] = -parts.factors[0];
	}
	if ((o->is_elsewhere |= is_out_of_reach(o, &number, &parts)) || !has_one_solution(&parts))
		return o->is_elsewhere;
	*failed = !solve_parts(o, &number, &parts);
	return !*failed;
}

/* ---- Loops of the store alone ---- */

/* Are they indices of threads that are the digits of 0 … *threads − 1? */
static bool are_digits(const struct parts *p, int64_t *threads)
{
	*threads = 1;
	for (size_t i = 0; i < p->count; i++) {
		if (p->list[i]->loop != NULL || p->factors[i] != *threads)
			return false;
		*threads *= (int64_t)p->list[i]->extent;
	}
	return true;
}

/* Is the sum its value, of which none is below zero? */
static bool is_natural(const struct kt_ir_origin *o, const struct kt_ir_form *sum)
{
	const struct kt_ir_range range = kt_ir_range_of_form(&o->in->bounds, sum);

	return range.least >= 0 && range.greatest <= INT32_MAX;
}

/*
 * Iterations of `for (i = start + thread; i < end; i += threads)`: each i from start on is one thread's. Threads are numbered
 * by all axes that are not solved, in any order of digits.
 */
static bool solve_start(struct kt_ir_origin *o, const struct kt_ir_unknown *u, bool *failed)
{
	struct parts parts;
	int64_t step, start, threads;
	struct kt_ir_module *m = o->in->module;
	struct kt_ir_form low, rest, solved, number;
	const struct kt_ir_value *value;

	if (!kt_ir_is_constant(u->loop->further[1], &step))
		return false;
	if (!kt_ir_form_of(&low, &o->in->lets, u->loop->value, false) || !kt_ir_spread(&low, o) || !divide(&rest, &parts, o, &low) ||
	    !kt_ir_form_of(&solved, &o->in->lets, u->value, false) || !kt_ir_form_minus(&number, &solved, &rest))
		return false;
	if (!kt_ir_is_constant(u->loop->value, &start) && !is_natural(o, &low))
		return false;
	if (!are_digits(&parts, &threads) || (parts.count > 0 && threads != step))
		return false;
	value = kt_ir_fold_all(m, kt_ir_sum_value(m, &number, word(m)));
	*failed = !ask(o, kt_ir_apply(m, KT_IR_GE, u->value, kt_ir_sum_value(m, &rest, u->atom->type), NULL)) ||
		(parts.count == 0 && step != u->step && !ask(o, is_zero(m, by_number(m, KT_IR_REM, value, step))));
	if (*failed)
		return false;
	for (size_t i = 0; i < parts.count; i++) {
		give(o, parts.list[i], by_number(m, KT_IR_REM, value, (int64_t)parts.list[i]->extent));
		value = by_number(m, KT_IR_DIV, value, (int64_t)parts.list[i]->extent);
	}
	return true;
}

static bool solve_all(struct kt_ir_equations *all, struct kt_ir_origin *o, bool *failed)
{
	bool is_new = true, started[KT_IR_MOST_UNKNOWNS] = {false};

	while (is_new && !*failed) {
		is_new = false;
		for (size_t i = 0; i < all->count && !*failed; i++) {
			struct kt_ir_equation *e = &all->list[i];

			if (!e->is_solved && solve(o, &e->sum, &e->is, e->is_condition, failed))
				is_new = e->is_solved = true;
		}
		for (size_t i = 0; i < o->unknown_count && !*failed; i++)
			if (o->unknowns[i].loop != NULL && o->unknowns[i].value != NULL && !started[i] &&
			    solve_start(o, &o->unknowns[i], failed))
				is_new = started[i] = true;
		kt_ir_join_digits(o);
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
	struct kt_ir_equations all = {0};
	bool failed = false;
	int64_t number;

	if (!add_unknowns(o) || !kt_ir_read_places(&all, o))
		return false;
	kt_ir_read_conditions(&all, o);
	if (!solve_all(&all, o, &failed))
		return failed ? false : o->is_elsewhere || kt_ir_unstage_refuses(o->in, o->store, "it is not known which thread stores what another one loads");
	for (size_t i = 0; i < o->asked_count; i++)
		o->is_elsewhere |= kt_ir_is_constant(o->asked[i], &number) && number == 0;
	return true;
}
