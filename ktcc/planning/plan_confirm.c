/* The last comparison: finalists beside the baseline with the full effort, and the choice between them. */
#include <math.h>

#include "base/log.h"
#include "planning/finals.h"
#include "planning/passes.h"
#include "planning/plan_energy.h"

/* How long the original may take on the largest problem that a winner is checked on. */
static const double largest_limit_s = 0.02;

double kt_tuning_tenth(double ns)
{
	return round(ns * 10) / 10;
}

static void round_timing(struct kt_timing *timing)
{
	timing->median_ns = kt_tuning_tenth(timing->median_ns);
	timing->mean_ns = kt_tuning_tenth(timing->mean_ns);
	timing->min_ns = kt_tuning_tenth(timing->min_ns);
	timing->deviation_ns = kt_tuning_tenth(timing->deviation_ns);
}

const struct kt_built *kt_tuning_built(const struct kt_tuning *s, size_t index)
{
	for (size_t i = 0; i < s->built_count; i++)
		if (s->built[i].ticket == index + 1 && s->built[i].cubin != NULL && !s->built[i].screened)
			return &s->built[i];
	return NULL;
}

/*
 * Recalled configurations have no binary yet, and screened ones have another compiler's: the few that are confirmed are
 * compiled now, by the compiler that will compile what is emitted.
 */
static kt_status build_finalists(struct kt_tuning *s, const size_t *finalists, size_t count, struct kt_error *err)
{
	const double begin_s = kt_now_s();
	size_t ahead;
	kt_status status = KT_OK;

	ahead = kt_tuning_foresee_these(s, finalists, count);
	for (size_t i = 0; i < count && status == KT_OK; i++)
		if (kt_tuning_built(s, finalists[i]) == NULL)
			status = kt_batch_add_exact(s->batch, finalists[i] + 1, kt_space_get(s->space, finalists[i]), err);
	THEN(status, kt_batch_flush(s->batch, err));
	while (status == KT_OK && kt_batch_pending(s->batch) != 0) {
		struct kt_built one, *slot;

		kt_store_lease_beat(s->plan->lease);
		if (!kt_batch_next(&one, s->batch, 0.25) || one.ticket == KT_ORIGINAL_TICKET || one.cubin == NULL)
			continue;
		NEED(slot = kt_arena_push(s->arena, &s->built, &s->built_count, sizeof *slot),
		     kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory"));
		*slot = one;
	}
	if (s->foreseen_count != 0)
		kt_log("%s: %zu of %zu binaries of finalists compiled ahead, %.3f s waited for the others", s->instance->name,
		       ahead, s->foreseen_count, kt_now_s() - begin_s);
	return status;
}

/* What is compared: every finalist that there is a binary of. */
static kt_status gather(struct kt_finals *f, struct kt_contest *contest, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	size_t finalists[KT_FINALISTS_MOST], found = 0, count = 0;
	bool settled = false;
	kt_status status = KT_OK;

	/* Who was only looked at is verified first, and one that is wrong makes room for another. */
	while (status == KT_OK && !settled) {
		found = kt_tuning_finalists(finalists, s);
		count = kt_tuning_fewer_finalists(finalists, found,
		                                  kt_tuning_affordable(s, found, kt_tuning_deadline(s) - kt_now_s()), s);
		status = build_finalists(s, finalists, count, err);
		THEN(status, kt_tuning_verify_screened(&settled, s, finalists, count, err));
	}
	if (count < found)
		kt_log("%s: the time that is left compares %zu of the best %zu", s->instance->name, count, found);

	*f = (struct kt_finals){.s = s, .rows = 1};
	for (size_t i = 0; status == KT_OK && i < count; i++) {
		const struct kt_built *one = kt_tuning_built(s, finalists[i]);

		/* What there was no time to verify cannot win. */
		if (one == NULL || kt_tuning_screened(s, &finalists[i], 1) != 0)
			continue;
		f->index[f->rows] = finalists[i];
		f->candidates[f->rows++] =
		    (struct kt_candidate){one->cubin, one->function, kt_space_get(s->space, finalists[i])};
	}
	contest->finalists = found;
	contest->compared = f->rows - 1;
	return status;
}

static void drop(struct kt_finals *f, struct kt_passes *passes, size_t row)
{
	kt_passes_drop(passes, row);
	kt_finals_drop(f, row);
}

/* On all checks; again after all timing, for a kernel that is right only while it is fresh is not right. */
static kt_status check(struct kt_outcome *outcome, const struct kt_finals *f, size_t row, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const struct kt_effort effort = kt_tuning_check_effort(s);
	const double begin_s = kt_now_s() - kt_tester_waited_seconds(s->plan->tester);
	kt_status status = kt_tester_try(outcome, s->arena, s->plan->tester, &f->candidates[row], &effort, NULL, err);

	s->check_s = kt_now_s() - kt_tester_waited_seconds(s->plan->tester) - begin_s;
	return status;
}

/* Who is still compared is right once more, on all checks and with fresh runs, or leaves. */
static kt_status drop_wrong(struct kt_finals *f, struct kt_passes *passes, struct kt_error *err)
{
	kt_status status = KT_OK;

	for (size_t row = f->rows; row-- > 1 && status == KT_OK;) {
		struct kt_outcome outcome;

		kt_store_lease_beat(f->s->plan->lease);
		status = check(&outcome, f, row, err);
		if (status != KT_OK || outcome.verdict == KT_VERDICT_OK)
			continue;
		if (outcome.verdict != KT_VERDICT_SKIPPED)
			kt_finals_give_up(f, row, &outcome);
		drop(f, passes, row);
	}
	return status;
}

/* Time for the passes that there are at least, and for a last look at what wins, is worth more than many rows. */
static void drop_for_time(struct kt_finals *f, struct kt_passes *passes, double pass_s)
{
	struct kt_tuning *s = f->s;
	const double left_s = kt_tuning_deadline(s) - kt_now_s();
	const size_t rows = f->rows, missing = KT_PASSES_LEAST - 1;

	while (f->rows > 2 && pass_s * (double)(missing * f->rows) / (double)rows +
	                              (double)f->rows * kt_tuning_check_seconds(s) > left_s)
		drop(f, passes, kt_finals_least(f));
}

/* Is there time for one more pass? */
static bool may_go_on(const struct kt_tuning *s, size_t passes, double until_s, double pass_s)
{
	const double end_s = kt_now_s() + pass_s;

	/* A single pass does not show its accuracy: the least number of passes ends even where it is a little late. */
	return passes < KT_PASSES_LEAST ? end_s + kt_tuning_check_seconds(s) < kt_tuning_hard_end(s) : end_s < until_s;
}

/* What a row came to, where it leaves or at the end. */
static void log_row(const struct kt_finals *f, size_t row, const struct kt_passes *passes)
{
	const struct kt_tuning *s = f->s;
	const struct kt_template *template_ = s->plan->template_;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_configuration_print(&text, template_->parameters, template_->parameter_count, kt_space_get(s->space, f->index[row]));
	kt_log("%s: %s: %.3f times as fast as the original after %zu passes", s->instance->name,
	       kt_buf_text(&text),
	       kt_geomean_speedup(f->timings, &f->timings[row * s->problems], s->problems), kt_passes_count(passes));
	kt_buf_free(&text);
}

static void log_passes(const struct kt_finals *f, const struct kt_passes *passes)
{
	const struct kt_tuning *s = f->s;

	if (kt_passes_count(passes) > 1)
		kt_log("%s: the last %zu compared in %zu passes, medians good to %.2f%%", s->instance->name, f->rows - 1,
		       kt_passes_count(passes), 100 * kt_passes_error(passes));
	else
		kt_log("%s: the last %zu compared in one pass", s->instance->name, f->rows - 1);
}

/*
 * Pass by pass, without those that cannot be chosen any more, until the rest is distinguished as finely as possible
 * (passes.h), or its share of the time is over.
 */
static kt_status compare(struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const double share_s = fmax(kt_tuning_passes_share(s), KT_PASSES_LEAST * kt_tuning_pass_seconds(s, f->rows - 1));
	const double until_s = fmin(kt_now_s() + share_s, kt_tuning_deadline(s) - kt_tuning_check_seconds(s) -
	                                                     kt_finals_probe_seconds(s));
	struct kt_effort effort = kt_tuning_confirm_effort(s, f->rows - 1);
	struct kt_passes *passes = kt_passes_new(s->arena, f->rows, s->problems);
	struct kt_timing *pass = kt_arena_array(s->arena, f->rows * s->problems, sizeof *pass);
	bool going = true;
	kt_status status = KT_OK;

	(void)kt_tester_stability(s->plan->tester);
	f->timings = kt_arena_array(s->arena, f->rows * s->problems, sizeof *f->timings);
	if (passes == NULL || pass == NULL || f->timings == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "timings: out of memory");
	kt_tuning_observe(s, KT_PHASE_COMPARE, f->rows - 1, 0);
	while (status == KT_OK && going) {
		const double begin_s = kt_now_s();
		const size_t rows = f->rows;

		effort.seed += 2;
		kt_store_lease_beat(s->plan->lease);
		status = kt_tester_compare(pass, s->arena, s->plan->tester, f->candidates, f->rows, &effort, err);
		if (status != KT_OK && kt_passes_count(passes) != 0) {
			kt_log("%s: no further pass: %s", s->instance->name, err->message);
			status = KT_OK;
			break;
		}
		if (status != KT_OK)
			break;
		kt_passes_add(passes, pass);
		kt_passes_pool(f->timings, passes);
		for (size_t row = f->rows; row-- > 1;)
			if (s->plan->config->goal == KT_GOAL_TIME && !kt_passes_hopeful(passes, row) &&
			    !kt_finals_hopeful(f, row)) {
				log_row(f, row, passes);
				drop(f, passes, row);
			}
		double pass_s = (kt_now_s() - begin_s) * (double)f->rows / (double)rows;

		if (kt_passes_count(passes) == 1) {
			const size_t hopeful = f->rows;

			drop_for_time(f, passes, pass_s);
			status = drop_wrong(f, passes, err);
			pass_s *= (double)f->rows / (double)hopeful;
		}
		going = !kt_passes_enough(passes) && may_go_on(s, kt_passes_count(passes), until_s, pass_s);
	}
	s->passes = kt_passes_count(passes);
	s->stability = kt_tester_stability(s->plan->tester);
	/* Alone the original has nothing to be compared with: it has won. */
	s->confirmed = f->rows == 1 || s->passes >= KT_PASSES_LEAST;
	for (size_t i = 0; status == KT_OK && i < f->rows * s->problems; i++)
		round_timing(&f->timings[i]);
	for (size_t row = 1; status == KT_OK && row < f->rows; row++)
		log_row(f, row, passes);
	if (status == KT_OK)
		log_passes(f, passes);
	return status;
}

/* Where energy counts: of all that is left. Who was not measured cannot be chosen. */
static kt_status measure_energy(struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	bool measured[KT_FINALISTS_MOST + 1];
	if (s->plan->config->goal == KT_GOAL_TIME)
		return KT_OK;
	NEED(f->costs = kt_arena_array(s->arena, f->rows * s->problems + 1, sizeof *f->costs),
	     kt_fail(err, KT_ERR_MEMORY, "energy: out of memory"));
	TRY(kt_tuning_energies(&f->energies, measured, s, f->candidates, f->timings, f->rows, err));
	for (size_t row = f->rows; row-- > 1;)
		if (!measured[row])
			kt_finals_drop(f, row);
	return KT_OK;
}

/* Once for what wins: sizes beyond the tuned ones, as large as this device can be asked for. */
static kt_status check_largest(struct kt_outcome *outcome, const struct kt_finals *f, size_t row, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const double begin_s = kt_now_s(), left_s = kt_tuning_hard_end(s) - kt_finals_align_seconds(s) - begin_s;
	const double most_s = fmin(kt_tuning_largest_seconds(s) - s->largest_s, left_s);
	struct kt_row largest;
	kt_status status = kt_tester_largest(&largest, s->arena, s->plan->tester, &f->candidates[row], f->timings,
	                                     largest_limit_s, most_s, err);

	s->largest_s += kt_now_s() - begin_s;
	if (status != KT_OK)
		return status;
	kt_log("%s: the largest problem, %s: %s%s%s", s->instance->name, largest.problem, kt_verdict_name(largest.verdict),
	       largest.detail != NULL ? ": " : "", largest.detail != NULL ? largest.detail : "");
	if (largest.verdict == KT_VERDICT_OK || largest.verdict == KT_VERDICT_SKIPPED)
		return KT_OK;
	outcome->verdict = largest.verdict;
	outcome->failed = largest.problem;
	outcome->row_count = 1;
	NEED(outcome->rows = kt_arena_alloc(s->arena, sizeof *outcome->rows),
	     kt_fail(err, KT_ERR_MEMORY, "outcome: out of memory"));
	outcome->rows[0] = largest;
	return KT_OK;
}

/* How one of them is looked at. */
typedef kt_status look(struct kt_outcome *outcome, const struct kt_finals *f, size_t row, struct kt_error *err);

/* Each of them, until one is wrong. */
static kt_status look_at_each(size_t *wrong, struct kt_finals *f, const struct kt_chosen *chosen, look *how,
                              struct kt_error *err)
{
	kt_status status = KT_OK;

	for (size_t i = 1; i < chosen->count && status == KT_OK && *wrong == 0; i++) {
		struct kt_outcome *outcome = &f->outcomes[chosen->variant[i]];

		status = how(outcome, f, chosen->row[i], err);
		if (status == KT_OK && outcome->verdict != KT_VERDICT_OK) {
			kt_finals_give_up(f, chosen->row[i], outcome);
			*wrong = chosen->row[i];
		}
	}
	return status;
}

static kt_status sanitize(struct kt_outcome *outcome, const struct kt_finals *f, size_t row, struct kt_error *err)
{
	return kt_tuning_sanitize(outcome, f->s, &f->candidates[row], f->s->suspects, err);
}

/* On all checks first; then on the largest problem, while tools watch all of them on the smallest. */
static kt_status find_wrong(size_t *wrong, struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	struct kt_watch *watch = NULL;
	struct kt_chosen chosen;
	kt_status status;

	*wrong = 0;
	kt_finals_chosen(&chosen, f);
	status = look_at_each(wrong, f, &chosen, check, err);
	if (status != KT_OK || *wrong != 0)
		return status;
	status = kt_tuning_watch(&watch, s, chosen.candidates + 1, chosen.count - 1, err);
	THEN(status, look_at_each(wrong, f, &chosen, check_largest, err));
	kt_tuning_watched(&s->suspects, s, watch);
	if (status == KT_OK && *wrong == 0 && s->suspects != 0)
		status = look_at_each(wrong, f, &chosen, sanitize, err);
	return status;
}

/* The choice, from those that are still right afterwards. */
static kt_status select_checked(struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;

	for (;;) {
		struct kt_matrix matrix;
		kt_status status = kt_finals_matrix(&matrix, f, err);
		size_t wrong = 0;

		THEN(status, kt_select(&f->selection, s->arena, &matrix, kt_tuning_selects_special(s), err));
		THEN(status, find_wrong(&wrong, f, err));
		if (status == KT_OK && wrong == 0)
			kt_finals_log(&matrix, s->instance->name);
		if (status != KT_OK || wrong == 0)
			return status;
		kt_finals_drop(f, wrong);
	}
}

/* Nothing won, what was compared was wrong in part, and the search has seen more that is faster than the original. */
static bool has_others(const struct kt_finals *f)
{
	return f->selection.general == 0 && f->selection.special_count == 0 && f->wrong != 0 && kt_tuning_seems_faster(f->s);
}

static bool has_time(const struct kt_tuning *s)
{
	return kt_now_s() + KT_PASSES_LEAST * kt_tuning_pass_seconds(s, 1) + 2 * kt_tuning_check_seconds(s) <
	       kt_tuning_deadline(s);
}

kt_status kt_tuning_confirm(struct kt_tuning *s, struct kt_planned *out, struct kt_error *err)
{
	struct kt_finals f = {.s = s};
	kt_status status;
	bool again = false;

	do {
		status = gather(&f, &out->contest, err);
		THEN(status, kt_finals_time_shapes(&f, err));
		THEN(status, compare(&f, err));
		if (status == KT_OK && (status = measure_energy(&f, err)) != KT_OK)
			out->reason = KT_REASON_NO_ENERGY;
		THEN(status, kt_finals_probe(&f, err));
		THEN(status, select_checked(&f, err));
		if (status != KT_OK)
			return status;
		again = has_others(&f);
	} while (again && has_time(s));
	/* What was not compared may be faster: the original has not won. */
	s->confirmed = s->confirmed && !again;
	out->contest.wrong = f.wrong;
	out->contest.enough = s->confirmed;
	if (f.selection.special_count != 0)
		kt_log("%s: %zu variants by %s rules, left-out regret %.1f%%", s->instance->name, f.selection.special_count + 1,
		       kt_rule_kind_name(f.selection.kind), 100 * f.selection.regret);
	return kt_finals_entry(out, &f, err);
}
