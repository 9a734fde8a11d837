#include "testing/cases.h"

#include <string.h>

#include "testing/sizes.h"

/* What all buffers of a check may hold together, and the steps of its original where a clause counts them. */
static const int64_t small_bytes = (int64_t)4 << 20;
static const int64_t small_flops = (int64_t)1 << 23;
/* Where no parameter cuts a variable. */
static const int64_t plain_small = 3;
/* There with unusual data, of which one element in sixteen is special, of four kinds. */
static const int64_t unrelated_most = 1024;
/* Of data that is no larger than widths need: more than this shows nothing more. */
static const int64_t enough_bytes = (int64_t)256 << 10;

struct maker {
	struct kt_arena *arena;
	const struct kt_subject *subject;
	const struct kt_region *region;
	struct kt_check *out;
	size_t count;
	int64_t most_bytes, most_flops;
	struct kt_sizes sizes[KT_PROBLEM_VARIABLES];
	int64_t calm[KT_PROBLEM_VARIABLES]; /* small, and allowed */
	int64_t seed;
	bool failed;
};

static bool is_small(const struct maker *m, const struct kt_check *check)
{
	const int64_t bytes = kt_cases_bytes(m->subject, check);

	return bytes > 0 && bytes <= m->most_bytes && kt_cases_flops(m->subject, check) <= m->most_flops;
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

	if (m->count == KT_CHECKS_MOST || m->failed || !is_small(m, &check) || !kt_cases_is_launch(m->subject, &check) ||
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
		const int64_t tuned = kt_sizes_least_tuned(m->region, v);
		const int64_t small = m->sizes[v].related ? m->sizes[v].multiple : plain_small;

		m->calm[v] = small < tuned ? small : tuned;
	}
	if (m->region->variable_count == 0 || (is_small(m, &check) && kt_cases_is_launch(m->subject, &check)))
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
		values[v] = m->sizes[v].related ? together[v] : m->calm[v];
	check.problem = values;
	if (add(m, &check))
		return;
	for (size_t v = 0; v < m->region->variable_count; v++) {
		memcpy(values, m->calm, sizeof values);
		values[v] = together[v];
		(void)add(m, &check);
	}
}

static int64_t most_tuned(const struct maker *m, size_t variable)
{
	int64_t most = 1;

	for (size_t p = 0; p < m->region->problem_count; p++) {
		const int64_t v = m->region->problems[p * m->region->variable_count + variable];

		most = v > most ? v : most;
	}
	return most;
}

/*
 * Variables that nothing relates, large enough for data to show mistakes: few elements have no NaN among them, and do
 * not reach the vector accesses of a kernel that has some. Never beyond what is tuned. False: they are no larger than calm.
 */
static bool choose_unrelated(const struct maker *m, int64_t *inside, int64_t divisor)
{
	bool larger = false;

	for (size_t v = 0; v < m->region->variable_count; v++) {
		const int64_t tuned = most_tuned(m, v);
		int64_t wanted = m->sizes[v].multiple;

		if (m->sizes[v].related)
			continue;
		while (wanted < unrelated_most)
			wanted *= 2;
		const int64_t most = wanted / divisor < tuned ? wanted / divisor : tuned;
		inside[v] = most > m->calm[v] ? most : m->calm[v];
		larger = larger || most > m->calm[v];
	}
	return larger;
}

/* A launch that every width divides, so that no guard about sizes keeps a variant out. */
static void choose_inside(const struct maker *m, int64_t *inside)
{
	struct kt_check check = plain(m, inside);

	for (int64_t factor = 3; factor >= 1; factor -= 2) {
		bool larger = true;

		for (size_t v = 0; v < m->region->variable_count; v++)
			inside[v] = factor * m->sizes[v].multiple;
		for (int64_t divisor = 1; larger; divisor *= 2) {
			larger = choose_unrelated(m, inside, divisor);
			if (is_small(m, &check) && kt_cases_is_launch(m->subject, &check) &&
			    (!larger || kt_cases_bytes(m->subject, &check) <= enough_bytes))
				return;
		}
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

			if ((!m->sizes[v].related && !unrelated) || i >= m->sizes[v].count)
				continue;
			memcpy(values, m->calm, sizeof values);
			values[v] = m->sizes[v].v[i];
			(void)add(m, &check);
		}
}

/* ---- places and data */

static const struct kt_element *element_of(const struct maker *m, size_t buffer)
{
	return kt_buffer_element(&m->region->buffers[buffer], m->subject->instance);
}

static bool is_written(const struct kt_buffer *buffer)
{
	return !buffer->scratch && buffer->direction != KT_IN;
}

/*
 * Is there a launch in which another argument is this memory? No pointer that is written leads into __constant__
 * memory.
 */
static bool is_shareable(const struct maker *m, const struct kt_buffer *buffer)
{
	return !buffer->scratch &&
	       (buffer->argument < 0 ? !buffer->symbol.is_constant : !m->region->arguments[buffer->argument].is_restrict);
}

static bool may_share(const struct maker *m, const struct kt_check *check, size_t a, size_t b)
{
	const struct kt_buffer *first = &m->region->buffers[a], *second = &m->region->buffers[b];
	const struct kt_check_scope scope = {m->subject, NULL, check};
	struct kt_error ignored;
	int64_t first_count = 0, second_count = 0;

	return is_shareable(m, first) && is_shareable(m, second) && (first->argument >= 0 || second->argument >= 0) &&
	       is_written(first) != is_written(second) && kt_element_same(element_of(m, a), element_of(m, b)) &&
	       kt_check_count(&first_count, &scope, a, &ignored) == KT_OK &&
	       kt_check_count(&second_count, &scope, b, &ignored) == KT_OK && first_count == second_count;
}

/*
 * In place: an output in the memory of an input. At most `most` pairs. A device symbol is where it is: the argument is
 * the one that leads there, as one that comes from cudaGetSymbolAddress.
 */
static void add_aliases(struct maker *m, const int64_t *problem, size_t most)
{
	for (size_t later = 1; later < m->region->buffer_count; later++)
		for (size_t earlier = 0; earlier < later && most != 0; earlier++) {
			struct kt_check check = plain(m, problem);

			const bool is_symbol = m->region->buffers[later].argument < 0;

			check.alias = (int64_t)(is_symbol ? earlier : later);
			check.alias_of = (int64_t)(is_symbol ? later : earlier);
			if (may_share(m, &check, earlier, later) && add(m, &check))
				most--;
		}
}

/* Of the buffers that can be moved. */
static unsigned least_element(const struct maker *m)
{
	unsigned least = KT_CHECK_OFFSET_MOST + 1;

	for (size_t b = 0; b < m->region->buffer_count; b++) {
		const unsigned bytes = element_of(m, b)->align;

		if (m->region->buffers[b].argument < 0)
			continue;
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

		check.offset = element_of(m, b)->align;
		check.shifted = (int64_t)b;
		if (check.offset <= KT_CHECK_OFFSET_MOST && m->region->buffers[b].argument >= 0)
			(void)add(m, &check);
	}
}

/* Is the data of a part of a buffer another one? Integers differ in their range alone. */
static bool differs(const struct kt_check *check, const struct kt_check *other, const struct kt_buffer *buffer,
                    const struct kt_element *element, size_t part)
{
	const struct kt_buffer own = kt_check_group(buffer, element->numbers[element->parts[part].first].group);
	const struct kt_fill fill = kt_check_fill(check, &own, element->parts[part].scalar);
	const struct kt_fill usual = kt_check_fill(other, &own, element->parts[part].scalar);

	return fill.kind != usual.kind || (fill.kind == KT_FILL_RANGE && (fill.a < usual.a || fill.b > usual.b));
}

static bool has_fill(const struct maker *m, const struct kt_check *check)
{
	struct kt_check other = *check;

	/* Where clauses keep every buffer's data as it is there is nothing new to see. */
	other.fill = KT_FILL_DEFAULT;
	for (size_t b = 0; b < m->region->buffer_count; b++) {
		const struct kt_check_scope scope = {m->subject, NULL, check};
		struct kt_buffer held;
		struct kt_error ignored;
		const struct kt_buffer *buffer = kt_check_buffer(&held, &scope, b, &ignored) == KT_OK ? &held : &m->region->buffers[b];
		const bool read = buffer->direction == KT_IN || buffer->direction == KT_INOUT;

		for (size_t part = 0; read && !buffer->scratch && part < element_of(m, b)->part_count; part++)
			if (differs(check, &other, buffer, element_of(m, b), part))
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
	                                          KT_FILL_NORMAL,  KT_FILL_CONSTANT, KT_FILL_SPARSE, KT_FILL_RANGE};
	int64_t inside[KT_PROBLEM_VARIABLES] = {0}, plus[KT_PROBLEM_VARIABLES], minus[KT_PROBLEM_VARIABLES],
		ones[KT_PROBLEM_VARIABLES];

	for (size_t v = 0; v < m->region->variable_count; v++) {
		plus[v] = m->sizes[v].multiple + 1;
		minus[v] = m->sizes[v].multiple - 1;
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
	add_sweeps(m, 0, KT_SIZES_TELLING, true);
	add_sweeps(m, KT_SIZES_TELLING, KT_SIZES, false);
	add_sweeps(m, KT_SIZES_TELLING, KT_SIZES, true);
}

kt_status kt_cases_make(struct kt_check **out, size_t *count, struct kt_arena *arena, const struct kt_subject *subject,
                        struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	struct maker *m = kt_arena_alloc(arena, sizeof *m);

	NEED(m, kt_fail(err, KT_ERR_MEMORY, "checks: out of memory"));
	*m = (struct maker){.arena = arena, .subject = subject, .region = region, .most_bytes = small_bytes,
	                    .most_flops = small_flops, .seed = 1 + (int64_t)region->problem_count};
	NEED(m->out = kt_arena_array(arena, KT_CHECKS_MOST, sizeof *m->out),
	     kt_fail(err, KT_ERR_MEMORY, "checks: out of memory"));
	/* Where the clauses allow nothing small, what the smallest tuning problem needs. */
	int64_t least_bytes = INT64_MAX, least_flops = 0;
	for (size_t p = 0; p < region->problem_count; p++) {
		const struct kt_check problem = kt_check_of_problem(subject, p);
		const int64_t bytes = kt_cases_bytes(subject, &problem);

		if (bytes > 0 && bytes < least_bytes) {
			least_bytes = bytes;
			least_flops = kt_cases_flops(subject, &problem);
		}
	}
	for (size_t v = 0; v < region->variable_count; v++)
		kt_sizes_make(&m->sizes[v], subject, v);
	choose_calm(m);
	const struct kt_check calm = plain(m, m->calm);
	if (!is_small(m, &calm) && least_bytes != INT64_MAX) {
		m->most_bytes = least_bytes > m->most_bytes ? least_bytes : m->most_bytes;
		m->most_flops = least_flops > m->most_flops ? least_flops : m->most_flops;
	}
	make_all(m);
	if (m->failed)
		return kt_fail(err, KT_ERR_MEMORY, "checks: out of memory");
	*out = m->out;
	*count = m->count;
	return KT_OK;
}
