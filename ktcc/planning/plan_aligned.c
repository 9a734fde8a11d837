/*
 * What was chosen, at launches whose pointers are aligned to their elements alone, as slices of arrays are: a variant that is
 * slower than the original there asks for pointers at multiples of 16 bytes (docs/selection.md, "Pointers").
 */
#include <string.h>

#include "base/log.h"
#include "planning/finals.h"

enum { VARIANTS = KT_SPECIALS + 1, LAUNCHES = 2 * VARIANTS, REPETITIONS = 20, REPETITIONS_LEAST = 3, WARMUPS = 5 };

/* Launches that are timed: which problem each of them is, with which buffers moved. */
struct moved {
	size_t count;
	size_t problem[KT_DERIVED_MOST];
	struct kt_check checks[KT_DERIVED_MOST];
};

/* May the argument be somewhere that is no multiple of KT_ALIGNED_BYTES? */
static bool may_move(const struct kt_tuning *s, size_t buffer)
{
	const struct kt_buffer *b = &s->region->buffers[buffer];
	const struct kt_element *element = kt_buffer_element(b, s->instance);

	return b->argument >= 0 && element->align > 0 && element->align < KT_ALIGNED_BYTES;
}

static void add_launch(struct moved *out, const struct kt_tuning *s, size_t problem, int64_t buffer)
{
	struct kt_check *check = &out->checks[out->count];

	*check = kt_check_of_problem(&s->derived.subject, problem);
	/* Each buffer begins as many bytes after an aligned address as its elements allow. */
	check->offset = KT_CHECK_OFFSET_MOST;
	check->shifted = buffer;
	out->problem[out->count++] = problem;
}

/* Of the problems that a variant serves the quickest and the slowest. */
static void add_served(struct moved *out, const struct kt_finals *f, int64_t variant)
{
	const struct kt_tuning *s = f->s;
	size_t least = s->problems, most = s->problems;

	for (size_t p = 0; p < s->problems; p++) {
		if (f->selection.serves[p] != variant || !(f->timings[p].median_ns > 0))
			continue;
		if (least == s->problems || f->timings[p].median_ns < f->timings[least].median_ns)
			least = p;
		if (most == s->problems || f->timings[p].median_ns > f->timings[most].median_ns)
			most = p;
	}
	if (least < s->problems)
		add_launch(out, s, least, -1);
	if (most < s->problems && most != least)
		add_launch(out, s, most, -1);
}

/* Those that the original cannot be run at leave. */
static void leave_out(struct moved *m, const bool *ran)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++)
		if (ran[i]) {
			m->problem[kept] = m->problem[i];
			m->checks[kept++] = m->checks[i];
		}
	m->count = kept;
}

/* What one repetition of all candidates takes on these launches, as if none were faster than the original. */
static double repetition_s(const struct kt_finals *f, const struct moved *m, size_t candidates)
{
	double ns = 0;

	for (size_t i = 0; i < m->count; i++)
		ns += f->timings[m->problem[i]].median_ns;
	return 1e-9 * ns * (double)candidates;
}

/* Those that take longest leave until half of the time is enough; *repetitions of what is left. */
static void fit(struct moved *m, int64_t *repetitions, const struct kt_finals *f, size_t candidates, double seconds)
{
	double fits;

	while (m->count != 0 && (fits = seconds / 2 / repetition_s(f, m, candidates)) < REPETITIONS_LEAST) {
		size_t slowest = 0;

		for (size_t i = 1; i < m->count; i++)
			if (f->timings[m->problem[i]].median_ns > f->timings[m->problem[slowest]].median_ns)
				slowest = i;
		m->count--;
		memmove(&m->problem[slowest], &m->problem[slowest + 1], (m->count - slowest) * sizeof m->problem[0]);
		memmove(&m->checks[slowest], &m->checks[slowest + 1], (m->count - slowest) * sizeof m->checks[0]);
	}
	*repetitions = m->count != 0 && fits < REPETITIONS + WARMUPS ? (int64_t)fits : REPETITIONS;
}

/* timings[candidate × launches + launch], of those that are left in `m`: without those that the original cannot be run at. */
static kt_status time_launches(struct kt_timing *timings, struct moved *m, const struct kt_finals *f,
                               const struct kt_chosen *chosen, double limit_s, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	struct kt_effort effort = {.seed = 3};
	const char *why[KT_DERIVED_MOST];
	bool ran[KT_DERIVED_MOST];
	kt_status status;

	fit(m, &effort.repetitions, f, chosen->count, limit_s);
	effort.warmups = effort.repetitions < REPETITIONS ? 0 : WARMUPS;
	if (m->count == 0)
		return kt_fail(err, KT_ERR_LIMIT, "launches take too long for the time that is left");
	status = kt_tester_shapes(ran, why, s->arena, s->plan->tester, m->checks, m->count, limit_s, err);

	if (status != KT_OK)
		return status;
	leave_out(m, ran);
	return m->count == 0 ? KT_OK : kt_tester_shapes_compare(timings, s->plan->tester, chosen->candidates, chosen->count,
	                                                        &effort, err);
}

/* By which part it is slower than the original; 0: it is not. */
static double loss(const struct kt_timing *original, const struct kt_timing *own)
{
	return original->median_ns > 0 && kt_timing_slower(own, original, false) ? own->median_ns / original->median_ns - 1 : 0;
}

static kt_status add_aligned(struct kt_entry *entry, struct kt_tuning *s, int64_t variant, size_t buffer,
                             struct kt_error *err)
{
	const char *name = s->region->buffers[buffer].name;
	struct kt_expr *expr;
	struct kt_error unnamed;
	struct kt_aligned *slot;

	/* A name that is a word of the language cannot be asked for. */
	if (entry->aligned_count == KT_ALIGNED_MOST || kt_expr_parse(&expr, s->arena, name, strlen(name), &unnamed) != KT_OK)
		return KT_OK;
	NEED(slot = kt_arena_push(s->arena, &entry->aligned, &entry->aligned_count, sizeof *slot),
	     kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	*slot = (struct kt_aligned){variant, name};
	return KT_OK;
}

/*
 * Which buffers it is that make a variant slow: each alone is moved at the launch where all of them cost most. Where none
 * does by itself, or there is no telling, it is all of them.
 */
static kt_status blame(struct kt_entry *entry, const struct kt_finals *f, const struct kt_chosen *chosen, size_t candidate,
                       size_t problem, double limit_s, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	struct kt_chosen one = {.count = 2, .variant = {0, chosen->variant[candidate]},
	                        .candidates = {chosen->candidates[0], chosen->candidates[candidate]}};
	struct kt_timing timings[2 * KT_DERIVED_MOST] = {0};
	struct moved all = {0}, m;
	size_t blamed = 0;
	kt_status status = KT_OK;

	for (size_t b = 0; b < s->region->buffer_count && all.count < KT_DERIVED_MOST; b++)
		if (may_move(s, b))
			add_launch(&all, s, problem, (int64_t)b);
	m = all;
	if (m.count > 1)
		status = time_launches(timings, &m, f, &one, limit_s, err);
	if (status == KT_ERR_MEMORY || status == KT_ERR_BUSY)
		return status;
	for (size_t i = 0; i < m.count && all.count > 1 && status == KT_OK; i++)
		if (loss(&timings[i], &timings[m.count + i]) > 0) {
			TRY(add_aligned(entry, s, one.variant[1], (size_t)m.checks[i].shifted, err));
			blamed++;
		}
	for (size_t i = 0; i < all.count && blamed == 0; i++)
		TRY(add_aligned(entry, s, one.variant[1], (size_t)all.checks[i].shifted, err));
	return KT_OK;
}

/* There was no time to know a variant at such launches: the original runs there. */
static kt_status ask_all(struct kt_entry *entry, struct kt_tuning *s, const struct kt_chosen *chosen, struct kt_error *err)
{
	for (size_t i = 1; i < chosen->count; i++)
		for (size_t b = 0; b < s->region->buffer_count; b++)
			if (may_move(s, b))
				TRY(add_aligned(entry, s, chosen->variant[i], b, err));
	return KT_OK;
}

/* The launch of `m` at which a candidate loses most; m->count: none. */
static size_t worst(double *most, const struct moved *m, const struct kt_timing *timings, size_t candidate)
{
	size_t at = m->count;

	*most = 0;
	for (size_t i = 0; i < m->count; i++) {
		const double lost = loss(&timings[i], &timings[candidate * m->count + i]);

		if (lost > *most) {
			*most = lost;
			at = i;
		}
	}
	return at;
}

static bool some_move(const struct kt_tuning *s)
{
	for (size_t b = 0; b < s->region->buffer_count; b++)
		if (may_move(s, b))
			return true;
	return false;
}

kt_status kt_finals_align(struct kt_entry *entry, const struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const double until_s = kt_now_s() + kt_finals_align_seconds(s);
	struct kt_timing timings[(VARIANTS + 1) * LAUNCHES] = {0};
	struct moved m = {0};
	struct kt_chosen chosen;
	kt_status status = KT_OK;

	kt_finals_chosen(&chosen, f);
	if (chosen.count == 1 || !some_move(s) || kt_finals_align_seconds(s) <= 0)
		return KT_OK;
	for (size_t i = 1; i < chosen.count; i++)
		add_served(&m, f, chosen.variant[i]);
	if (m.count != 0)
		status = time_launches(timings, &m, f, &chosen, until_s - kt_now_s(), err);
	for (size_t i = 1; i < chosen.count && m.count != 0 && status == KT_OK; i++) {
		double most;
		const size_t at = worst(&most, &m, timings, i);

		kt_log("%s: variant %lld at pointers off multiples of %d bytes: %s by %.0f%%", s->instance->name,
		       (long long)chosen.variant[i], KT_ALIGNED_BYTES, most > 0 ? "slower than the original" : "not slower",
		       100 * most);
		if (at < m.count)
			status = blame(entry, f, &chosen, i, m.problem[at], until_s - kt_now_s(), err);
	}
	if (status == KT_ERR_MEMORY || status == KT_ERR_BUSY)
		return status;
	if (status == KT_OK)
		return KT_OK;
	kt_log("%s: nothing is known of pointers off multiples of %d bytes: %s", s->instance->name, KT_ALIGNED_BYTES,
	       err->message);
	return status == KT_ERR_LIMIT ? ask_all(entry, s, &chosen, err) : KT_OK;
}
