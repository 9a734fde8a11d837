/* Finalists on launches that no problem lists: which of them there is time for, what they take there, who is hopeful. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/finals.h"
#include "planning/passes.h"

/* Of the budget, for everything about shapes; of that, for verifying, before they are timed in passes. */
static const double shapes_share = 0.25, verify_part = 0.6;
/* Of the budget, for what is chosen on sizes beside the problems, and at pointers that are not aligned. */
static const double probe_share = 0.08, align_share = 0.05, align_most_s = 1;
/* A candidate takes about this part of the time of preparing, which runs the original several times. */
static const double try_part = 0.5;
/* However small a shape is, laying it out takes as long as moving that many bytes. */
static const double least_bytes = 256 << 10;
/* Launches of each row in a pass; fewer where they take long. */
enum { PASSES = 2, REPETITIONS_MOST = 40, REPETITIONS_LEAST = 3, ROUNDS = 10 };

static double budget_s(const struct kt_tuning *s)
{
	return s->deadline_s - s->started_s;
}

/* A recording holds the problems alone. */
static bool has_shapes(const struct kt_tuning *s)
{
	return s->derived.count != 0 && s->plan->config->replay == NULL && s->plan->config->record == NULL;
}

/* What preparing one of them takes, by what the region took for each byte; its many checks are small. */
static double shape_s(const struct kt_tuning *s, size_t shape)
{
	double bytes = least_bytes * (double)(s->checks + 1);

	for (size_t p = 0; p < s->problems; p++)
		bytes += fmax(least_bytes, (double)s->derived.listed[p]);
	return s->region_s * fmax(least_bytes, (double)s->derived.bytes[shape]) / bytes;
}

static double prepare_seconds(const struct kt_tuning *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->derived.count; i++)
		sum += shape_s(s, i);
	return sum;
}

double kt_tuning_shapes_seconds(const struct kt_tuning *s, size_t others)
{
	/* The region's problems are prepared once more afterwards. */
	const double all = prepare_seconds(s) * (1 + try_part * (double)(others + 1) / verify_part) + s->region_s;

	return has_shapes(s) ? fmin(all, shapes_share * budget_s(s)) : 0;
}

void kt_finals_drop(struct kt_finals *f, size_t row)
{
	const size_t behind = --f->rows - row, problems = f->s->problems;

	memmove(&f->index[row], &f->index[row + 1], behind * sizeof f->index[0]);
	memmove(&f->candidates[row], &f->candidates[row + 1], behind * sizeof f->candidates[0]);
	memmove(&f->covers[row], &f->covers[row + 1], behind * sizeof f->covers[0]);
	memmove(&f->shapes[row * KT_DERIVED_MOST], &f->shapes[(row + 1) * KT_DERIVED_MOST],
	        behind * KT_DERIVED_MOST * sizeof f->shapes[0]);
	if (f->timings != NULL)
		memmove(&f->timings[row * problems], &f->timings[(row + 1) * problems],
		        behind * problems * sizeof f->timings[0]);
	if (f->energies != NULL)
		memmove(&f->energies[row * problems], &f->energies[(row + 1) * problems],
		        behind * problems * sizeof f->energies[0]);
}

void kt_finals_give_up(struct kt_finals *f, size_t row, const struct kt_outcome *outcome)
{
	struct kt_tuning *s = f->s;

	s->wrong++;
	f->wrong++;
	kt_tuning_remember_wrong(s, f->index[row], outcome);
	kt_tuning_refute(s, f->index[row], &(struct kt_trial){.verdict = outcome->verdict, .detail = outcome->failed});
}

/* ---- which shapes */

/* The shapes that are measured: indices into the tuning's derived shapes, ascending. */
struct measured {
	size_t count, shape[KT_DERIVED_MOST];
	bool probes; /* beside the problems: one that the original cannot be run at is not missed */
};

/* As many as there is time for, the quickest first. */
static void choose_shapes(struct measured *out, const struct kt_tuning *s, size_t rows, double seconds)
{
	bool taken[KT_DERIVED_MOST] = {false};
	double left_s = seconds;

	for (size_t n = 0; n < s->derived.count; n++) {
		size_t best = KT_DERIVED_MOST;

		for (size_t i = 0; i < s->derived.count; i++)
			if (!taken[i] && (best == KT_DERIVED_MOST || s->derived.bytes[i] < s->derived.bytes[best]))
				best = i;
		left_s -= shape_s(s, best) * (1 + try_part * (double)rows);
		if (left_s < 0)
			break;
		taken[best] = true;
	}
	out->count = 0;
	for (size_t i = 0; i < s->derived.count; i++)
		if (taken[i])
			out->shape[out->count++] = i;
	if (out->count < s->derived.count)
		kt_log("%s: no time for %zu of %zu sizes that are not listed", s->instance->name, s->derived.count - out->count,
		       s->derived.count);
}

/* `why` names the size. */
static void say_dropped(const struct kt_tuning *s, size_t count, const char *why)
{
	if (count == 1)
		kt_say("%s: a size that no problem lists is left out, the original cannot be run there: %s", s->instance->name, why);
	else if (count != 0)
		kt_say("%s: %zu sizes that no problem lists are left out, the original cannot be run there: %s; …",
		       s->instance->name, count, why);
}

/* ran[i], why[i]: of m->shape[i]. */
static kt_status run_original(bool *ran, const char **why, const struct measured *m, struct kt_tuning *s, double limit_s,
                              struct kt_error *err)
{
	struct kt_check checks[KT_DERIVED_MOST];

	for (size_t i = 0; i < m->count; i++)
		checks[i] = kt_derived_check(&s->derived, m->shape[i]);
	return kt_tester_shapes(ran, why, s->arena, s->plan->tester, checks, m->count, limit_s, err);
}

/* Who runs on a shape whose values are others now. */
static void cover(struct kt_finals *f, size_t shape)
{
	const struct kt_tuning *s = f->s;
	const uint32_t bit = (uint32_t)1 << shape;

	for (size_t row = 1; row < f->rows; row++)
		f->covers[row] = (f->covers[row] & ~bit) | (kt_derived_covers(&s->derived, f->candidates[row].configuration) & bit);
}

/* Shapes that the original cannot be run at, and what came in their place. */
struct replaced {
	int64_t values[KT_DERIVED_MOST][KT_PROBLEM_VARIABLES]; /* before: as m->shape */
	bool runs[KT_DERIVED_MOST];
	uint32_t of[KT_DERIVED_MOST]; /* variables that keep what problems share */
};

/* Which variables a shape tries to keep in a turn: each shape one, then that with which others ran, in the end all. */
static uint32_t kept_variables(const struct replaced *r, const struct measured *m, const struct kt_tuning *s, size_t i, int turn)
{
	const uint32_t all = (uint32_t)(((uint64_t)1 << s->region->variable_count) - 1);

	if (turn == 0)
		return (uint32_t)1 << i % s->region->variable_count;
	for (size_t j = 0; j < m->count && turn == 1; j++)
		if (r->runs[j] && r->of[j] != 0)
			return r->of[j];
	return all;
}

/* Puts others in the place of shapes that the original cannot be run at; false: there are none to be had. */
static bool replace(struct replaced *r, const struct measured *m, struct kt_finals *f, int turn)
{
	uint32_t of[KT_DERIVED_MOST];
	bool some = false;

	for (size_t i = 0; i < m->count; i++)
		of[i] = r->runs[i] ? 0 : kept_variables(r, m, f->s, i, turn);
	for (size_t i = 0; i < m->count; i++) {
		if (of[i] == 0 || !kt_derived_replace(&f->s->derived, m->shape[i], r->values[i], of[i]))
			continue;
		r->of[i] = of[i];
		cover(f, m->shape[i]);
		some = true;
	}
	return some;
}

/* Leaves out of the measured ones, and of what rows cover, those that the original cannot be run at. */
static void leave_out(struct measured *m, struct kt_finals *f, const bool *runs)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (runs[i]) {
			m->shape[kept++] = m->shape[i];
			continue;
		}
		for (size_t row = 0; row < f->rows; row++)
			f->covers[row] &= ~((uint32_t)1 << m->shape[i]);
	}
	m->count = kept;
}

/*
 * Those on which the original fails are no shapes any more, even where a configuration covers them; others that keep what
 * the listed problems share take their place.
 */
static kt_status prepare(struct measured *m, struct kt_finals *f, double limit_s, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	enum { TURNS = 3 };
	const char *why[KT_DERIVED_MOST], *first = NULL;
	const double until_s = kt_now_s() + limit_s;
	struct replaced r = {0};
	kt_status status;

	for (size_t i = 0; i < m->count; i++)
		memcpy(r.values[i], s->derived.values[m->shape[i]], sizeof r.values[i]);
	status = run_original(r.runs, why, m, s, limit_s, err);
	for (size_t i = 0; i < m->count && status == KT_OK; i++)
		if (!r.runs[i]) {
			kt_log("%s: no variant is timed where the original cannot be run: %s", s->instance->name, why[i]);
			first = first != NULL ? first : why[i];
			f->dropped += !m->probes;
		}
	if (first != NULL && !m->probes)
		say_dropped(s, f->dropped, first);
	for (int turn = 0; turn < TURNS && first != NULL && status == KT_OK && kt_now_s() < until_s; turn++)
		if (replace(&r, m, f, turn))
			status = run_original(r.runs, why, m, s, until_s - kt_now_s(), err);
	if (status == KT_OK)
		leave_out(m, f, r.runs);
	else
		m->count = 0;
	return status;
}

/* ---- who is right there, and how fast */

/* The best of the search first: where time ends the others are left. */
static void rank(size_t *order, const struct kt_finals *f)
{
	size_t top[KT_FINALISTS_MOST], count = 0;
	bool taken[KT_FINALISTS_MOST + 1] = {true};

	for (int all = 0; all < 2; all++) {
		const size_t found = all != 0 ? kt_objective_top(top, KT_FINALISTS_MOST, f->s->objective)
		                              : kt_objective_top_everywhere(top, KT_FINALISTS_MOST, f->s->objective);

		for (size_t i = 0; i < found; i++)
			for (size_t row = 1; row < f->rows; row++)
				if (f->index[row] == top[i] && !taken[row]) {
					taken[row] = true;
					order[count++] = row;
				}
	}
	for (size_t row = 1; row < f->rows; row++)
		if (!taken[row])
			order[count++] = row;
}

/* On the shapes that are prepared; *ns: of one launch on each of them. */
static kt_status verify(enum kt_verdict *verdict, double *ns, struct kt_finals *f, size_t row, struct kt_error *err)
{
	const struct kt_effort effort = {.warmups = 1, .repetitions = REPETITIONS_LEAST};
	struct kt_outcome outcome;
	TRY(kt_tester_shapes_try(&outcome, f->s->arena, f->s->plan->tester, &f->candidates[row], &effort, err));
	*verdict = outcome.verdict;
	for (size_t i = 0; i < outcome.row_count; i++)
		*ns += outcome.trials[i].timing.median_ns;
	if (outcome.verdict != KT_VERDICT_OK && outcome.verdict != KT_VERDICT_SKIPPED &&
	    outcome.verdict != KT_VERDICT_OVER_LIMIT)
		kt_finals_give_up(f, row, &outcome);
	return KT_OK;
}

/* right[row]: is it wanted? Afterwards: was there time, and was it right? Others leave. *ns: of one launch of them all on all shapes. */
static kt_status verify_all(bool *right, double *ns, struct kt_finals *f, double until_s, struct kt_error *err)
{
	size_t order[KT_FINALISTS_MOST + 1], rows = f->rows;
	bool wrong[KT_FINALISTS_MOST + 1] = {false};
	bool wanted[KT_FINALISTS_MOST + 1];
	double longest_s = 0;
	kt_status status = KT_OK;

	memcpy(wanted, right, sizeof wanted);
	memset(right, 0, sizeof wanted);
	rank(order, f);
	for (size_t i = 0; i + 1 < rows && status == KT_OK && kt_now_s() + longest_s < until_s; i++) {
		const double begin_s = kt_now_s();
		enum kt_verdict verdict = KT_VERDICT_SKIPPED;

		if (!wanted[order[i]])
			continue;

		kt_store_lease_beat(f->s->plan->lease);
		status = verify(&verdict, ns, f, order[i], err);
		right[order[i]] = status == KT_OK && (verdict == KT_VERDICT_OK || verdict == KT_VERDICT_SKIPPED);
		wrong[order[i]] = status == KT_OK && !right[order[i]] && verdict != KT_VERDICT_OVER_LIMIT;
		longest_s = fmax(longest_s, kt_now_s() - begin_s);
	}
	for (size_t row = rows; row-- > 1 && status == KT_OK;)
		if (wrong[row]) {
			kt_finals_drop(f, row);
			memmove(&right[row], &right[row + 1], (rows - row - 1) * sizeof right[0]);
			rows--;
		}
	return status;
}

static struct kt_effort effort_for(double ns, double seconds)
{
	const double fits = ns > 0 ? seconds / (1e-9 * ns * PASSES) - ROUNDS : REPETITIONS_MOST;
	const double repetitions = fmax(REPETITIONS_LEAST, fmin(REPETITIONS_MOST, fits));

	return (struct kt_effort){.warmups = repetitions > ROUNDS ? ROUNDS : 0, .repetitions = (int64_t)repetitions};
}

/* Of one launch on each of them, by the nearest problem. */
static double original_ns(const struct kt_tuning *s, const struct measured *m)
{
	double ns = 0;

	for (size_t i = 0; i < m->count; i++) {
		const size_t shape = m->shape[i], nearest = s->derived.nearest[shape];
		const double bytes = fmax(1, (double)s->derived.listed[nearest]);

		ns += s->baseline[nearest].median_ns * fmax(1, (double)s->derived.bytes[shape] / bytes);
	}
	return ns;
}

static kt_status time_all(struct kt_finals *f, const struct measured *m, const bool *right, double ns, double seconds,
                          struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	struct kt_candidate candidates[KT_FINALISTS_MOST + 1];
	size_t row[KT_FINALISTS_MOST + 1], rows = 1;
	struct kt_effort effort = effort_for(ns + original_ns(s, m), seconds);
	const double begin_s = kt_now_s();
	double pass_s = 0;
	struct kt_timing *pass;
	struct kt_passes *passes;
	kt_status status = KT_OK;

	row[0] = 0;
	candidates[0] = f->candidates[0];
	for (size_t r = 1; r < f->rows; r++)
		if (right[r]) {
			candidates[rows] = f->candidates[r];
			row[rows++] = r;
		}
	pass = kt_arena_array(s->arena, rows * m->count + 1, sizeof *pass);
	passes = kt_passes_new(s->arena, rows, m->count);
	if (pass == NULL || passes == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "timings: out of memory");
	/* One pass gives times; each further one has to fit in the time. */
	for (size_t n = 0; n < PASSES && status == KT_OK && (n == 0 || kt_now_s() + pass_s < begin_s + seconds); n++) {
		const double pass_began_s = kt_now_s();

		effort.seed += 2;
		kt_store_lease_beat(s->plan->lease);
		status = kt_tester_shapes_compare(pass, s->plan->tester, candidates, rows, &effort, err);
		if (status == KT_OK)
			kt_passes_add(passes, pass);
		pass_s = kt_now_s() - pass_began_s;
	}
	if (status != KT_OK)
		return status;
	kt_passes_pool(pass, passes);
	for (size_t r = 0; r < rows; r++)
		for (size_t i = 0; i < m->count; i++)
			f->shapes[row[r] * KT_DERIVED_MOST + m->shape[i]] = pass[r * m->count + i];
	return KT_OK;
}

/* Who is right on the shapes, and what they take there. Nothing is known where that fails: KT_OK all the same. */
static kt_status measure(struct measured *m, struct kt_finals *f, bool *right, double most_s, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const double begin_s = kt_now_s(), until_s = begin_s + verify_part * most_s;
	double ns = 0;
	kt_status status = prepare(m, f, verify_part * most_s, err);

	if (status == KT_OK && m->count != 0)
		status = verify_all(right, &ns, f, until_s, err);
	if (status == KT_OK && m->count != 0)
		status = time_all(f, m, right, ns, begin_s + most_s - kt_now_s(), err);
	if (status == KT_ERR_MEMORY || status == KT_ERR_BUSY)
		return status;
	if (status != KT_OK) {
		kt_log("%s: nothing is known of sizes that are not listed: %s", s->instance->name, err->message);
		for (size_t row = 0; row < f->rows; row++)
			for (size_t i = 0; i < m->count; i++)
				f->shapes[row * KT_DERIVED_MOST + m->shape[i]] = (struct kt_timing){0};
	}
	kt_log("%s: the best %zu on %zu sizes that are not listed: %.1f s", s->instance->name, f->rows - 1, m->count,
	       kt_now_s() - begin_s);
	return KT_OK;
}

kt_status kt_finals_time_shapes(struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const double compared_s = kt_tuning_comparison_seconds(s, f->rows - 1);
	/* Finalists made room for that part of it. */
	const double least_s = kt_tuning_shapes_least * kt_tuning_shapes_seconds(s, f->rows - 1);
	const double most_s =
	    fmin(shapes_share * budget_s(s), fmax(least_s, kt_tuning_deadline(s) - kt_now_s() - compared_s));
	bool wanted[KT_FINALISTS_MOST + 1];
	struct measured measured = {0};

	memset(f->shapes, 0, sizeof f->shapes);
	for (size_t row = 0; row < f->rows; row++) {
		wanted[row] = true;
		f->covers[row] = row == 0 ? (uint32_t)(((uint64_t)1 << s->derived.count) - 1)
		                          : kt_derived_covers(&s->derived, f->candidates[row].configuration);
	}
	if (!has_shapes(s) || f->rows < 2)
		return KT_OK;
	choose_shapes(&measured, s, f->rows, verify_part * most_s);
	if (measured.count == 0)
		return KT_OK;
	kt_progress("%s: the best %zu on %zu sizes that are not listed", s->instance->name, f->rows - 1, measured.count);
	return measure(&measured, f, wanted, most_s, err);
}

double kt_finals_probe_seconds(const struct kt_tuning *s)
{
	return has_shapes(s) && s->problems != 0 ? probe_share * budget_s(s) : 0;
}

double kt_finals_align_seconds(const struct kt_tuning *s)
{
	const bool replays = s->plan->config->replay != NULL || s->plan->config->record != NULL;

	return replays || s->problems == 0 ? 0 : fmin(align_share * budget_s(s), align_most_s);
}

kt_status kt_finals_time_probes(struct kt_finals *f, size_t first, bool *wanted, double most_s, struct kt_error *err)
{
	struct measured measured = {.probes = true};
	uint32_t bits = 0;
	kt_status status;

	for (size_t i = first; i < f->s->derived.count; i++) {
		bits |= (uint32_t)1 << i;
		cover(f, i);
		measured.shape[measured.count++] = i;
	}
	f->covers[0] |= bits;
	status = measure(&measured, f, wanted, most_s, err);
	/* Nothing is known of the others there. */
	for (size_t row = 1; row < f->rows; row++)
		f->covers[row] &= wanted[row] ? UINT32_MAX : ~bits;
	return status;
}
