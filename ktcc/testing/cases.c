#include "testing/cases.h"

#include <string.h>

#include "base/device.h"

enum { VALUES = 160 };

/* Sizes of a variable that say most, before those that only cover. */
enum { TELLING = 4 };

/* What all buffers of a check may hold together, and the steps of its original where a clause counts them. */
static const int64_t small_bytes = (int64_t)4 << 20;
static const int64_t small_flops = (int64_t)1 << 23;
/* Multiples of all widths are taken up to the smallest tuned value, within these; beyond, each width has its own. */
static const int64_t multiple_least = 128, multiple_most = 1 << 15;
/* Where no parameter cuts a variable. */
static const int64_t plain_width = 32;
static const int64_t plain_small = 3;

struct values {
	size_t count;
	int64_t v[VALUES];
};

struct maker {
	struct kt_arena *arena;
	const struct kt_subject *subject;
	const struct kt_region *region;
	struct kt_check *out;
	size_t count;
	int64_t most_bytes, most_flops;
	int64_t multiple[KT_PROBLEM_VARIABLES]; /* of all widths that are small enough */
	bool related[KT_PROBLEM_VARIABLES];     /* does an expression say which parameters cut it? */
	int64_t calm[KT_PROBLEM_VARIABLES];     /* small, and allowed */
	struct values values[KT_PROBLEM_VARIABLES];
	int64_t seed;
	bool failed;
};

/* ---- widths */

static void add_value(struct values *values, int64_t v)
{
	for (size_t i = 0; i < values->count; i++)
		if (values->v[i] == v)
			return;
	if (v >= 1 && values->count < VALUES)
		values->v[values->count++] = v;
}

static bool mentions(const struct kt_clause_expr *clause, const struct kt_region *region, size_t variable)
{
	if (clause->expr == NULL)
		return false;
	if (kt_expr_uses(clause->expr, region->variables[variable]))
		return true;
	for (size_t a = 0; a < region->argument_count; a++)
		if (kt_carried_variable(region, a) == (int64_t)variable && region->arguments[a].name[0] != '\0' &&
		    kt_expr_uses(clause->expr, region->arguments[a].name))
			return true;
	return false;
}

/* The values of every parameter that stands with the variable, and the products of their least and largest. */
static void add_related(struct values *widths, const struct kt_subject *subject, const struct kt_clause_expr *clause)
{
	const struct kt_template *template_ = subject->template_;
	int64_t least = 1, largest = 1;

	for (size_t p = 0; p < template_->parameter_count; p++) {
		const struct kt_parameter *parameter = &template_->parameters[p];
		int64_t low = INT64_MAX, high = 1;

		if (!kt_expr_uses(clause->expr, parameter->name))
			continue;
		for (size_t i = 0; i < parameter->value_count; i++) {
			const int64_t v = parameter->values[i];

			if (v < 2)
				continue;
			add_value(widths, v);
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
		if (low != INT64_MAX && __builtin_mul_overflow(least, low, &least))
			least = 1;
		if (__builtin_mul_overflow(largest, high, &largest))
			largest = 1;
	}
	if (least > 1 && least <= multiple_most)
		add_value(widths, least);
	if (largest > 1 && largest <= multiple_most)
		add_value(widths, largest);
}

static void add_all_related(struct values *widths, const struct kt_subject *subject, size_t variable,
                            const struct kt_clause_expr *clauses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (mentions(&clauses[i], subject->template_->region, variable))
			add_related(widths, subject, &clauses[i]);
}

/* The values of a parameter that are all powers of two: it may well cut something. */
static void add_powers(struct values *widths, const struct kt_parameter *parameter)
{
	for (size_t i = 0; i < parameter->value_count; i++)
		if (parameter->values[i] < 1 || (parameter->values[i] & (parameter->values[i] - 1)) != 0)
			return;
	for (size_t i = 0; i < parameter->value_count; i++)
		if (parameter->values[i] > 1)
			add_value(widths, parameter->values[i]);
}

/* related: an expression says so; else it is a guess. */
static struct values widths_of(bool *related, const struct kt_subject *subject, size_t variable)
{
	const struct kt_template *t = subject->template_;
	struct values widths = {0};

	add_all_related(&widths, subject, variable, t->restrictions, t->restriction_count);
	add_all_related(&widths, subject, variable, t->guards, t->guard_count);
	add_all_related(&widths, subject, variable, t->grid, t->grid_count);
	add_all_related(&widths, subject, variable, t->block, t->block_count);
	add_all_related(&widths, subject, variable, &t->shared_bytes, 1);
	*related = widths.count != 0;
	if (!*related)
		for (size_t p = 0; p < t->parameter_count; p++)
			add_powers(&widths, &t->parameters[p]);
	return widths;
}

size_t kt_cases_widths(int64_t *widths, size_t most, const struct kt_subject *subject, size_t variable)
{
	bool related;
	const struct values all = widths_of(&related, subject, variable);
	size_t count = 0;

	for (; count < all.count && count < most; count++)
		widths[count] = all.v[count];
	return count;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static int64_t multiple_of_all(const struct values *widths, int64_t least_tuned)
{
	int64_t most = least_tuned > multiple_least ? least_tuned : multiple_least, multiple = 1;

	most = most < multiple_most ? most : multiple_most;
	for (size_t i = 0; i < widths->count; i++) {
		const int64_t w = widths->v[i];
		const int64_t both = w <= most ? multiple / common_divisor(multiple, w) * w : most + 1;

		if (both <= most)
			multiple = both;
	}
	return multiple > 1 ? multiple : plain_width;
}

static int64_t least_tuned(const struct kt_region *region, size_t variable)
{
	int64_t least = INT64_MAX;

	for (size_t p = 0; p < region->problem_count; p++) {
		const int64_t v = region->problems[p * region->variable_count + variable];

		least = v < least ? v : least;
	}
	return least;
}

static int64_t prime_above(int64_t v)
{
	for (v++;; v++) {
		bool prime = v > 1;

		for (int64_t d = 2; prime && d * d <= v; d++)
			prime = v % d != 0;
		if (prime)
			return v;
	}
}

/* The sizes of one variable, most telling first. */
static void make_values(struct maker *m, size_t variable)
{
	const struct values widths = widths_of(&m->related[variable], m->subject, variable);
	const int64_t all = m->multiple[variable] = multiple_of_all(&widths, least_tuned(m->region, variable));
	struct values *values = &m->values[variable];

	/* TELLING ones. */
	add_value(values, all + 1);
	add_value(values, 1);
	add_value(values, all - 1);
	add_value(values, prime_above(all + all / 2));
	for (size_t i = 0; i < widths.count; i++) {
		const int64_t w = widths.v[i];

		/* Small, so that there is nothing but a tail or one vector and one element. */
		add_value(values, w + 1);
		add_value(values, w - 1);
	}
	for (size_t i = 0; i < widths.count; i++)
		/* Inside for this width and outside for the next power of two. */
		add_value(values, 3 * widths.v[i]);
	add_value(values, 2);
	add_value(values, 2 * all);
}

/* ---- is it a check? */

int64_t kt_cases_bytes(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_region *region = subject->template_->region;
	const struct kt_check_scope scope = {subject, NULL, check};
	int64_t bytes = 0;

	for (size_t b = 0; b < region->buffer_count; b++) {
		struct kt_error ignored;
		int64_t count = 0;

		if (region->buffers[b].argument < 0 || kt_check_count(&count, &scope, b, &ignored) != KT_OK || count < 1)
			return -1;
		if (__builtin_add_overflow(
		        bytes, count * (int64_t)kt_scalar_bytes(subject->instance->elements[region->buffers[b].argument]),
		        &bytes))
			return -1;
	}
	return bytes;
}

/* 0 without a clause. */
static int64_t flops_of(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_clause_expr *flops = &subject->template_->region->flops;
	struct kt_check_scope scope = {subject, NULL, check};
	struct kt_error ignored;
	int64_t value = 0;

	return flops->expr != NULL && kt_expr_eval(&value, flops->expr, kt_check_lookup, &scope, &ignored) == KT_OK ? value
	                                                                                                            : 0;
}

/* An integer argument that carries a variable has to hold it. */
static bool values_fit(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_region *region = subject->template_->region;

	for (size_t a = 0; a < region->argument_count; a++) {
		const int64_t variable = kt_carried_variable(region, a);
		const enum kt_scalar element = subject->instance->elements[a];

		if (variable < 0 || region->arguments[a].is_pointer || kt_scalar_is_float(element))
			continue;
		const int bits = 8 * (int)kt_scalar_bytes(element) -
				 (element == KT_I8 || element == KT_I16 || element == KT_I32 || element == KT_I64);
		if (bits < 63 && check->problem[variable] >> bits != 0)
			return false;
	}
	return true;
}

static bool is_launch(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_check_scope scope = {subject, NULL, check};
	struct kt_geometry geometry;
	struct kt_error ignored;

	if (!values_fit(subject, check) || kt_check_geometry(&geometry, &scope, &ignored) != KT_OK)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (subject->device->max_grid[i] > 0 && geometry.grid[i] > subject->device->max_grid[i])
			return false;
	return kt_check_allowed(&scope);
}

static bool is_small(const struct maker *m, const struct kt_check *check)
{
	const int64_t bytes = kt_cases_bytes(m->subject, check);

	return bytes > 0 && bytes <= m->most_bytes && flops_of(m->subject, check) <= m->most_flops;
}

/* The same launch up to its seed, which is what makes the data and no reason to run it twice. */
static bool is_known(const struct maker *m, const struct kt_check *check)
{
	struct kt_check other;

	for (size_t p = 0; p < m->region->problem_count; p++) {
		other = kt_check_of_problem(m->subject, p);
		other.seed = check->seed;
		if (kt_check_equal(m->subject, &other, check))
			return true;
	}
	for (size_t i = 0; i < m->count; i++) {
		other = m->out[i];
		other.seed = check->seed;
		if (kt_check_equal(m->subject, &other, check))
			return true;
	}
	return false;
}

/* Adds a check with a copy of its values. True: it is one. */
static bool add(struct maker *m, const struct kt_check *wanted)
{
	struct kt_check check = *wanted;
	const size_t variables = m->region->variable_count;

	if (m->count == KT_CHECKS_MOST || m->failed || !is_small(m, &check) || !is_launch(m->subject, &check) ||
	    is_known(m, &check))
		return false;
	if (variables != 0) {
		int64_t *copy = kt_arena_array(m->arena, variables, sizeof *copy);

		m->failed = copy == NULL;
		if (m->failed)
			return false;
		memcpy(copy, check.problem, variables * sizeof *copy);
		check.problem = copy;
	}
	check.seed = m->seed++;
	m->out[m->count++] = check;
	return true;
}

/* ---- sizes */

static struct kt_check plain(const struct maker *m, const int64_t *problem)
{
	return (struct kt_check){
	    .problem = m->region->variable_count != 0 ? problem : NULL, .seed = m->seed, .shifted = -1, .alias = -1,
	    .alias_of = -1};
}

/* Values that other variables have while one is varied: cut by every width, else the smallest tuning problem. */
static void choose_calm(struct maker *m)
{
	struct kt_check check = plain(m, m->calm);
	int64_t least_bytes = INT64_MAX;

	for (size_t v = 0; v < m->region->variable_count; v++) {
		const int64_t tuned = least_tuned(m->region, v);
		const int64_t small = m->related[v] ? m->multiple[v] : plain_small;

		m->calm[v] = small < tuned ? small : tuned;
	}
	if (m->region->variable_count == 0 || (is_small(m, &check) && is_launch(m->subject, &check)))
		return;
	for (size_t p = 0; p < m->region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(m->subject, p);
		const int64_t bytes = kt_cases_bytes(m->subject, &problem);

		if (bytes >= 0 && bytes < least_bytes) {
			least_bytes = bytes;
			memcpy(m->calm, problem.problem, m->region->variable_count * sizeof m->calm[0]);
		}
	}
}

/*
 * All variables moved together; where that is too large, those that no expression relates stay small; where it is not
 * allowed either, each on its own.
 */
static void add_size(struct maker *m, const int64_t *together)
{
	int64_t values[KT_PROBLEM_VARIABLES];
	struct kt_check check = plain(m, together);

	if (add(m, &check))
		return;
	for (size_t v = 0; v < m->region->variable_count; v++)
		values[v] = m->related[v] ? together[v] : m->calm[v];
	check.problem = values;
	if (add(m, &check))
		return;
	for (size_t v = 0; v < m->region->variable_count; v++) {
		memcpy(values, m->calm, sizeof values);
		values[v] = together[v];
		(void)add(m, &check);
	}
}

/* A launch that every width divides, so that no guard about sizes keeps a variant out. */
static void choose_inside(const struct maker *m, int64_t *inside)
{
	struct kt_check check = plain(m, inside);

	for (int64_t factor = 3; factor >= 1; factor -= 2) {
		for (size_t v = 0; v < m->region->variable_count; v++)
			inside[v] = m->related[v] ? factor * m->multiple[v] : m->calm[v];
		if (is_small(m, &check) && is_launch(m->subject, &check))
			return;
	}
	memcpy(inside, m->calm, sizeof m->calm);
}

/* One variable at a time, its values from `first` to before `end`. */
static void add_sweeps(struct maker *m, size_t first, size_t end, bool unrelated)
{
	for (size_t i = first; i < end && m->count < KT_CHECKS_MOST; i++)
		for (size_t v = 0; v < m->region->variable_count; v++) {
			int64_t values[KT_PROBLEM_VARIABLES];
			struct kt_check check = plain(m, values);

			if ((!m->related[v] && !unrelated) || i >= m->values[v].count)
				continue;
			memcpy(values, m->calm, sizeof values);
			values[v] = m->values[v].v[i];
			(void)add(m, &check);
		}
}

/* ---- places and data */

static enum kt_scalar element_of(const struct maker *m, size_t buffer)
{
	return m->subject->instance->elements[m->region->buffers[buffer].argument];
}

static bool is_written(const struct kt_buffer *buffer)
{
	return !buffer->scratch && buffer->direction != KT_IN;
}

static bool may_share(const struct maker *m, const struct kt_check *check, size_t a, size_t b)
{
	const struct kt_buffer *first = &m->region->buffers[a], *second = &m->region->buffers[b];
	const struct kt_check_scope scope = {m->subject, NULL, check};
	struct kt_error ignored;
	int64_t first_count = 0, second_count = 0;

	return !first->scratch && !second->scratch && is_written(first) != is_written(second) &&
	       element_of(m, a) == element_of(m, b) && !m->region->arguments[first->argument].is_restrict &&
	       !m->region->arguments[second->argument].is_restrict &&
	       kt_check_count(&first_count, &scope, a, &ignored) == KT_OK &&
	       kt_check_count(&second_count, &scope, b, &ignored) == KT_OK && first_count == second_count;
}

/* In place: an output in the memory of an input. At most `most` pairs. */
static void add_aliases(struct maker *m, const int64_t *problem, size_t most)
{
	for (size_t later = 1; later < m->region->buffer_count; later++)
		for (size_t earlier = 0; earlier < later && most != 0; earlier++) {
			struct kt_check check = plain(m, problem);

			check.alias = (int64_t)later;
			check.alias_of = (int64_t)earlier;
			if (may_share(m, &check, earlier, later) && add(m, &check))
				most--;
		}
}

static unsigned least_element(const struct maker *m)
{
	unsigned least = KT_CHECK_OFFSET_MOST + 1;

	for (size_t b = 0; b < m->region->buffer_count; b++) {
		const unsigned bytes = kt_scalar_bytes(element_of(m, b));

		least = bytes < least ? bytes : least;
	}
	return least;
}

/* All buffers one element off, then by each power of two: inside the guard of narrow vectors, outside of wider ones. */
static void add_offsets(struct maker *m, const int64_t *problem, size_t most)
{
	for (int64_t bytes = least_element(m); bytes != 0 && bytes <= KT_CHECK_OFFSET_MOST && most != 0; bytes *= 2) {
		struct kt_check check = plain(m, problem);

		check.offset = bytes;
		if (add(m, &check))
			most--;
	}
}

static void add_single_offsets(struct maker *m, const int64_t *problem)
{
	for (size_t b = 0; b < m->region->buffer_count && m->region->buffer_count > 1; b++) {
		struct kt_check check = plain(m, problem);

		check.offset = kt_scalar_bytes(element_of(m, b));
		check.shifted = (int64_t)b;
		if (check.offset <= KT_CHECK_OFFSET_MOST)
			(void)add(m, &check);
	}
}

static bool has_fill(const struct maker *m, const struct kt_check *check)
{
	struct kt_check other = *check;

	/* Where clauses keep every buffer's data as it is there is nothing new to see. */
	other.fill = KT_FILL_DEFAULT;
	for (size_t b = 0; b < m->region->buffer_count; b++) {
		const struct kt_buffer *buffer = &m->region->buffers[b];
		const bool read = buffer->direction == KT_IN || buffer->direction == KT_INOUT;

		if (read && !buffer->scratch &&
		    kt_check_fill(check, buffer, element_of(m, b)).kind != kt_check_fill(&other, buffer, element_of(m, b)).kind)
			return true;
	}
	return false;
}

static void add_fill(struct maker *m, const int64_t *problem, enum kt_fill_kind fill)
{
	struct kt_check check = plain(m, problem);

	check.fill = fill;
	if (has_fill(m, &check))
		(void)add(m, &check);
}

/* ---- the list */

static void make_all(struct maker *m)
{
	static const enum kt_fill_kind fills[] = {KT_FILL_SPECIAL, KT_FILL_LARGE,    KT_FILL_ZEROS, KT_FILL_DENORMAL,
	                                          KT_FILL_NORMAL,  KT_FILL_CONSTANT, KT_FILL_SPARSE};
	int64_t inside[KT_PROBLEM_VARIABLES] = {0}, plus[KT_PROBLEM_VARIABLES], minus[KT_PROBLEM_VARIABLES],
		ones[KT_PROBLEM_VARIABLES];

	for (size_t v = 0; v < m->region->variable_count; v++) {
		plus[v] = m->multiple[v] + 1;
		minus[v] = m->multiple[v] - 1;
		ones[v] = 1;
	}
	choose_inside(m, inside);
	if (m->region->variable_count != 0)
		add_size(m, plus);
	add_fill(m, inside, KT_FILL_SPECIAL);
	if (m->region->variable_count != 0)
		add_size(m, ones);
	add_offsets(m, inside, 1);
	add_aliases(m, inside, 1);
	if (m->region->variable_count != 0) {
		add_size(m, minus);
		add_size(m, inside);
	}
	add_offsets(m, inside, KT_CHECK_OFFSET_MOST);
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++)
		add_fill(m, inside, fills[i]);
	add_single_offsets(m, inside);
	add_aliases(m, inside, m->region->buffer_count);
	/* What cuts a variable may be known to the kernel alone: the most telling sizes of each come first. */
	add_sweeps(m, 0, TELLING, true);
	add_sweeps(m, TELLING, VALUES, false);
	add_sweeps(m, TELLING, VALUES, true);
}

kt_status kt_cases_make(struct kt_check **out, size_t *count, struct kt_arena *arena, const struct kt_subject *subject,
                        struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	struct maker *m = kt_arena_alloc(arena, sizeof *m);

	if (m == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "checks: out of memory");
	*m = (struct maker){.arena = arena, .subject = subject, .region = region, .most_bytes = small_bytes,
	                    .most_flops = small_flops, .seed = 1 + (int64_t)region->problem_count};
	m->out = kt_arena_array(arena, KT_CHECKS_MOST, sizeof *m->out);
	if (m->out == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "checks: out of memory");
	for (size_t b = 0; b < region->buffer_count; b++)
		if (region->buffers[b].argument < 0)
			goto done;
	/* Where the clauses allow nothing small, what the smallest tuning problem needs. */
	int64_t least_bytes = INT64_MAX, least_flops = 0;
	for (size_t p = 0; p < region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);
		const int64_t bytes = kt_cases_bytes(subject, &problem);

		if (bytes > 0 && bytes < least_bytes) {
			least_bytes = bytes;
			least_flops = flops_of(subject, &problem);
		}
	}
	for (size_t v = 0; v < region->variable_count; v++)
		make_values(m, v);
	choose_calm(m);
	const struct kt_check calm = plain(m, m->calm);
	if (!is_small(m, &calm) && least_bytes != INT64_MAX) {
		m->most_bytes = least_bytes > m->most_bytes ? least_bytes : m->most_bytes;
		m->most_flops = least_flops > m->most_flops ? least_flops : m->most_flops;
	}
	make_all(m);
	if (m->failed)
		return kt_fail(err, KT_ERR_MEMORY, "checks: out of memory");
done:
	*out = m->out;
	*count = m->count;
	return KT_OK;
}

/* ---- the largest */

bool kt_cases_largest(struct kt_check *out, struct kt_arena *arena, const struct kt_subject *subject,
                      int64_t most_bytes)
{
	const struct kt_region *region = subject->template_->region;
	int64_t *values = kt_arena_array(arena, region->variable_count + 1, sizeof *values);
	struct kt_check check = {.seed = 1 + (int64_t)region->problem_count, .shifted = -1, .alias = -1, .alias_of = -1};
	int64_t base = 0;

	if (values == NULL || region->variable_count == 0 || region->problem_count == 0)
		return false;
	for (size_t p = 0; p < region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);
		const int64_t bytes = kt_cases_bytes(subject, &problem);

		if (bytes > base) {
			base = bytes;
			memcpy(values, problem.problem, region->variable_count * sizeof *values);
		}
	}
	check.problem = values;
	for (size_t v = 0; v < region->variable_count && base > 0; v++) {
		const int64_t before = values[v];

		/* Doubling keeps what divides the tuned size; the original says how far it can be launched. */
		for (int64_t next = before; next < INT64_MAX / 4; next *= 2) {
			values[v] = next * 2;
			const int64_t bytes = kt_cases_bytes(subject, &check);

			if (bytes <= base || bytes > most_bytes || !is_launch(subject, &check)) {
				values[v] = next;
				break;
			}
		}
		if (values[v] != before) {
			*out = check;
			return true;
		}
	}
	return false;
}
