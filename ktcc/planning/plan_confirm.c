/* The last comparison: finalists beside the baseline with the full effort, and the entry that comes of it. */
#include <math.h>
#include <string.h>

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
static kt_status gather(struct kt_finals *f, struct kt_contest *contest, struct kt_tuning *s, struct kt_error *err)
{
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

	*f = (struct kt_finals){.rows = 1};
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

static void drop(struct kt_finals *f, struct kt_passes *passes, size_t row, size_t problems)
{
	kt_passes_drop(passes, row);
	kt_finals_drop(f, row, problems);
}

/* On all checks; again after all timing, for a kernel that is right only while it is fresh is not right. */
static kt_status check(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_finals *f, size_t row,
                       struct kt_error *err)
{
	const struct kt_effort effort = kt_tuning_check_effort(s);
	const double begin_s = kt_now_s() - kt_tester_waited_seconds(s->plan->tester);
	kt_status status = kt_tester_try(outcome, s->arena, s->plan->tester, &f->candidates[row], &effort, NULL, err);

	s->check_s = kt_now_s() - kt_tester_waited_seconds(s->plan->tester) - begin_s;
	return status;
}

/* Who is still compared is right once more, on all checks and with fresh runs, or leaves. */
static kt_status drop_wrong(struct kt_finals *f, struct kt_passes *passes, struct kt_tuning *s, struct kt_error *err)
{
	kt_status status = KT_OK;

	for (size_t row = f->rows; row-- > 1 && status == KT_OK;) {
		struct kt_outcome outcome;

		kt_store_lease_beat(s->plan->lease);
		status = check(&outcome, s, f, row, err);
		if (status != KT_OK || outcome.verdict == KT_VERDICT_OK)
			continue;
		if (outcome.verdict != KT_VERDICT_SKIPPED)
			kt_finals_give_up(s, f, row, &outcome);
		drop(f, passes, row, s->problems);
	}
	return status;
}

/* Time for the passes that there are at least, and for a last look at what wins, is worth more than many rows. */
static void drop_for_time(struct kt_finals *f, struct kt_passes *passes, struct kt_tuning *s, double pass_s)
{
	const double left_s = kt_tuning_deadline(s) - kt_now_s();
	const size_t rows = f->rows, missing = KT_PASSES_LEAST - 1;

	while (f->rows > 2 && pass_s * (double)(missing * f->rows) / (double)rows +
	                              (double)f->rows * kt_tuning_check_seconds(s) > left_s)
		drop(f, passes, kt_finals_least(f, s), s->problems);
}

/* Is there time for one more pass? */
static bool may_go_on(const struct kt_tuning *s, size_t passes, double until_s, double pass_s)
{
	const double end_s = kt_now_s() + pass_s;

	/* A single pass does not show its accuracy: the least number of passes ends even where it is a little late. */
	return passes < KT_PASSES_LEAST ? end_s + kt_tuning_check_seconds(s) < kt_tuning_hard_end(s) : end_s < until_s;
}

/* What a row came to, where it leaves or at the end. */
static void log_row(const struct kt_finals *f, size_t row, const struct kt_passes *passes, const struct kt_tuning *s)
{
	const struct kt_template *template_ = s->plan->template_;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_configuration_print(&text, template_->parameters, template_->parameter_count, kt_space_get(s->space, f->index[row]));
	kt_log("%s: %s: %.3f times as fast as the original after %zu passes", s->instance->name,
	       kt_buf_text(&text),
	       kt_geomean_speedup(f->timings, &f->timings[row * s->problems], s->problems), kt_passes_count(passes));
	kt_buf_free(&text);
}

static void log_passes(const struct kt_finals *f, const struct kt_passes *passes, const struct kt_tuning *s)
{
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
static kt_status compare(struct kt_finals *f, struct kt_tuning *s, struct kt_error *err)
{
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
			    !kt_finals_hopeful(f, s, row)) {
				log_row(f, row, passes, s);
				drop(f, passes, row, s->problems);
			}
		double pass_s = (kt_now_s() - begin_s) * (double)f->rows / (double)rows;

		if (kt_passes_count(passes) == 1) {
			const size_t hopeful = f->rows;

			drop_for_time(f, passes, s, pass_s);
			status = drop_wrong(f, passes, s, err);
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
		log_row(f, row, passes, s);
	if (status == KT_OK)
		log_passes(f, passes, s);
	return status;
}

/* Where energy counts: of all that is left. Who was not measured cannot be chosen. */
static kt_status measure_energy(struct kt_finals *f, struct kt_tuning *s, struct kt_error *err)
{
	bool measured[KT_FINALISTS_MOST + 1];
	if (s->plan->config->goal == KT_GOAL_TIME)
		return KT_OK;
	NEED(f->costs = kt_arena_array(s->arena, f->rows * s->problems + 1, sizeof *f->costs),
	     kt_fail(err, KT_ERR_MEMORY, "energy: out of memory"));
	TRY(kt_tuning_energies(&f->energies, measured, s, f->candidates, f->timings, f->rows, err));
	for (size_t row = f->rows; row-- > 1;)
		if (!measured[row])
			kt_finals_drop(f, row, s->problems);
	return KT_OK;
}

/* Once for what wins: sizes beyond the tuned ones, as large as this device can be asked for. */
static kt_status check_largest(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_finals *f, size_t row,
                               struct kt_error *err)
{
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

/* What was chosen: rows of the finals, each with the place of its outcome. */
struct chosen {
	size_t count, row[KT_SPECIALS + 1], outcome[KT_SPECIALS + 1];
	struct kt_candidate candidates[KT_SPECIALS + 1];
};

static void list_chosen(struct chosen *out, const struct kt_selection *selection, const struct kt_finals *f)
{
	out->count = 0;
	for (size_t k = 0; k <= selection->special_count; k++) {
		const size_t row = k == 0 ? selection->general : selection->specials[k - 1];

		if (row == 0)
			continue;
		out->row[out->count] = row;
		out->candidates[out->count] = f->candidates[row];
		out->outcome[out->count++] = k;
	}
}

/* How one of them is looked at. */
typedef kt_status look(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_finals *f, size_t row,
                       struct kt_error *err);

/* Each of them, until one is wrong. */
static kt_status look_at_each(size_t *wrong, struct kt_outcome *outcomes, const struct chosen *chosen,
                              struct kt_tuning *s, struct kt_finals *f, look *how, struct kt_error *err)
{
	kt_status status = KT_OK;

	for (size_t i = 0; i < chosen->count && status == KT_OK && *wrong == 0; i++) {
		struct kt_outcome *outcome = &outcomes[chosen->outcome[i]];

		status = how(outcome, s, f, chosen->row[i], err);
		if (status == KT_OK && outcome->verdict != KT_VERDICT_OK) {
			kt_finals_give_up(s, f, chosen->row[i], outcome);
			*wrong = chosen->row[i];
		}
	}
	return status;
}

static kt_status sanitize(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_finals *f, size_t row,
                          struct kt_error *err)
{
	return kt_tuning_sanitize(outcome, s, &f->candidates[row], s->suspects, err);
}

/* On all checks first; then on the largest problem, while tools watch all of them on the smallest. */
static kt_status find_wrong(size_t *wrong, struct kt_outcome *outcomes, const struct kt_selection *selection,
                            struct kt_tuning *s, struct kt_finals *f, struct kt_error *err)
{
	struct kt_watch *watch = NULL;
	struct chosen chosen;
	kt_status status;

	*wrong = 0;
	list_chosen(&chosen, selection, f);
	status = look_at_each(wrong, outcomes, &chosen, s, f, check, err);
	if (status != KT_OK || *wrong != 0)
		return status;
	status = kt_tuning_watch(&watch, s, chosen.candidates, chosen.count, err);
	THEN(status, look_at_each(wrong, outcomes, &chosen, s, f, check_largest, err));
	kt_tuning_watched(&s->suspects, s, watch);
	if (status == KT_OK && *wrong == 0 && s->suspects != 0)
		status = look_at_each(wrong, outcomes, &chosen, s, f, sanitize, err);
	return status;
}

/* The choice, from those that are still right afterwards; outcomes[0] is the general one's. */
static kt_status select_checked(struct kt_selection *selection, struct kt_outcome *outcomes, struct kt_finals *f,
                                struct kt_tuning *s, struct kt_error *err)
{
	for (;;) {
		struct kt_matrix matrix;
		kt_status status = kt_finals_matrix(&matrix, f, s, err);
		size_t wrong = 0;

		THEN(status, kt_select(selection, s->arena, &matrix, kt_tuning_selects_special(s), err));
		THEN(status, find_wrong(&wrong, outcomes, selection, s, f, err));
		if (status == KT_OK && wrong == 0)
			kt_finals_log(&matrix, s->instance->name);
		if (status != KT_OK || wrong == 0)
			return status;
		kt_finals_drop(f, wrong, s->problems);
	}
}

static void copy_configuration(int64_t *to, const struct kt_tuning *s, const struct kt_finals *f, size_t row)
{
	memcpy(to, f->candidates[row].configuration, s->plan->template_->parameter_count * sizeof *to);
}

static kt_status add_specials(struct kt_entry *entry, const struct kt_tuning *s, const struct kt_finals *f,
                              const struct kt_selection *selection, const struct kt_outcome *outcomes,
                              struct kt_error *err)
{
	entry->special_count = selection->special_count;
	entry->specials = kt_arena_array(s->arena, entry->special_count + 1, sizeof *entry->specials);
	entry->general_ns = kt_arena_array(s->arena, s->problems, sizeof *entry->general_ns);
	if (entry->specials == NULL || entry->general_ns == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "entry: out of memory");
	for (size_t p = 0; p < s->problems && entry->special_count != 0 && selection->general != 0; p++)
		entry->general_ns[p] = f->timings[selection->general * s->problems + p].median_ns;
	for (size_t k = 0; k < entry->special_count; k++) {
		struct kt_special *special = &entry->specials[k];

		special->when = selection->when[k];
		special->configuration =
		    kt_arena_array(s->arena, s->plan->template_->parameter_count + 1, sizeof *special->configuration);
		NEED(special->configuration, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
		copy_configuration(special->configuration, s, f, selection->specials[k]);
		special->registers = outcomes[k + 1].registers;
		special->local_bytes = outcomes[k + 1].local_bytes;
		special->shared_bytes = outcomes[k + 1].shared_bytes;
	}
	return KT_OK;
}

/* What runs on the sizes that no problem lists, as far as they were measured. */
static kt_status add_unlisted(struct kt_entry *entry, const struct kt_tuning *s, const struct kt_finals *f,
                              const struct kt_selection *selection, struct kt_error *err)
{
	const size_t bytes = entry->variable_count * sizeof(int64_t);

	NEED(entry->unlisted = kt_arena_array(s->arena, s->derived.count + 1, sizeof *entry->unlisted),
	     kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	entry->unlisted_left_out = (int64_t)f->dropped;
	for (size_t i = 0; i < s->derived.count; i++) {
		const size_t row = kt_selection_row(selection, s->problems + i);
		/* A variant that would run there and was not timed gets no figure. */
		const bool runs = row == 0 || (kt_derived_covers(&s->derived, f->candidates[row].configuration) >> i & 1) != 0;
		const double baseline_ns = f->shapes[i].median_ns;
		const double own_ns = runs ? f->shapes[row * KT_DERIVED_MOST + i].median_ns : baseline_ns;
		struct kt_unlisted *one = &entry->unlisted[entry->unlisted_count];

		if (!(baseline_ns > 0) || !(own_ns > 0))
			continue;
		*one = (struct kt_unlisted){kt_arena_array(s->arena, entry->variable_count + 1, sizeof(int64_t)),
		                            runs ? selection->serves[s->problems + i] : KT_UNLISTED_ORIGINAL,
		                            kt_tuning_tenth(baseline_ns), kt_tuning_tenth(own_ns)};
		NEED(one->values, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
		memcpy(one->values, s->derived.values[i], bytes);
		entry->unlisted_count++;
	}
	return KT_OK;
}

/* A problem that does not fit into this device's memory is no part of what was found out. */
static kt_status drop_unmeasured(struct kt_entry *entry, const struct kt_tuning *s, struct kt_error *err)
{
	const size_t variables = entry->variable_count;
	int64_t *problems = kt_arena_array(s->arena, s->problems * variables + 1, sizeof *problems);
	size_t kept = 0;

	NEED(problems, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	for (size_t p = 0; p < s->problems; p++) {
		if (!(entry->baseline[p].median_ns > 0))
			continue;
		if (variables != 0)
			memcpy(problems + kept * variables, entry->problems + p * variables, variables * sizeof *problems);
		entry->baseline[kept] = entry->baseline[p];
		entry->tuned[kept] = entry->tuned[p];
		entry->copy_ns[kept] = entry->copy_ns[p];
		if (entry->serves != NULL)
			entry->serves[kept] = entry->serves[p];
		if (entry->general_ns != NULL)
			entry->general_ns[kept] = entry->general_ns[p];
		if (entry->baseline_uj != NULL) {
			entry->baseline_uj[kept] = entry->baseline_uj[p];
			entry->tuned_uj[kept] = entry->tuned_uj[p];
		}
		kept++;
	}
	if (kept == 0)
		return kt_fail(err, KT_ERR_INVALID, "no problem could be measured");
	if (kept != s->problems)
		entry->problems = problems;
	entry->problem_count = kept;
	return KT_OK;
}

/*
 * Launches beside the problems that all of what was chosen was right on: some may be outside of a guard, or
 * impossible.
 */
static void note_checks(struct kt_entry *entry, const struct kt_selection *selection, const struct kt_outcome *outcomes)
{
	int64_t least = -1;

	for (size_t k = selection->general == 0; k <= selection->special_count; k++) {
		int64_t right = 0;

		for (size_t r = 0; r < outcomes[k].row_count; r++)
			right += outcomes[k].rows[r].check && outcomes[k].rows[r].verdict == KT_VERDICT_OK;
		least = least < 0 || right < least ? right : least;
	}
	entry->checks = least > 0 ? least : 0;
}

static kt_status note_energy(struct kt_entry *entry, struct kt_tuning *s, const struct kt_finals *f,
                             const struct kt_selection *selection, struct kt_error *err)
{
	const struct kt_energy_rows rows = {f->rows, f->candidates, f->timings, f->energies};
	size_t *served = kt_arena_array(s->arena, s->problems + 1, sizeof *served);
	kt_status status;

	NEED(served, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	for (size_t p = 0; p < s->problems; p++)
		served[p] = kt_selection_row(selection, p);
	status = kt_tuning_energy_entry(entry, s, &rows, served, err);
	/* Without parameters there are no configurations to name. */
	if (entry->parameter_count == 0)
		entry->point_count = 0;
	return status;
}

static kt_status fill_entry(struct kt_planned *out, struct kt_tuning *s, const struct kt_finals *f,
                            const struct kt_selection *selection, const struct kt_outcome *outcomes,
                            struct kt_error *err)
{
	struct kt_entry *entry = &out->entry;

	memcpy(s->baseline, f->timings, s->problems * sizeof *f->timings);
	entry->baseline = s->baseline;
	NEED(entry->tuned = kt_arena_array(s->arena, s->problems, sizeof *entry->tuned),
	     kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	note_checks(entry, selection, outcomes);
	entry->stability = s->stability;
	entry->serves = selection->serves;
	entry->baseline_best = selection->general == 0;
	if (selection->general != 0) {
		copy_configuration(entry->configuration, s, f, selection->general);
		entry->registers = outcomes[0].registers;
		entry->local_bytes = outcomes[0].local_bytes;
		entry->shared_bytes = outcomes[0].shared_bytes;
	}
	/* Where the variant does not run the original does. */
	for (size_t p = 0; p < s->problems; p++) {
		const struct kt_timing *served = &f->timings[kt_selection_row(selection, p) * s->problems + p];

		entry->tuned[p] = served->median_ns > 0 ? *served : s->baseline[p];
	}
	if (!entry->baseline_best || selection->special_count != 0) {
		if (add_specials(entry, s, f, selection, outcomes, err) != KT_OK ||
		    add_unlisted(entry, s, f, selection, err) != KT_OK || kt_finals_align(entry, f, s, selection, err) != KT_OK)
			return err->code;
	} else {
		out->reason = KT_REASON_BASELINE_BEST;
		/* A text that is not emitted is not kept. */
		if (entry->template_ != NULL)
			entry->parameter_count = 0;
		entry->template_ = NULL;
	}
	if (f->energies != NULL && note_energy(entry, s, f, selection, err) != KT_OK)
		return err->code;
	return drop_unmeasured(entry, s, err);
}

/* Nothing won, what was compared was wrong in part, and the search has seen more that is faster than the original. */
static bool has_others(const struct kt_tuning *s, const struct kt_finals *f, const struct kt_selection *selection)
{
	return selection->general == 0 && selection->special_count == 0 && f->wrong != 0 && kt_tuning_seems_faster(s);
}

static bool has_time(const struct kt_tuning *s)
{
	return kt_now_s() + KT_PASSES_LEAST * kt_tuning_pass_seconds(s, 1) + 2 * kt_tuning_check_seconds(s) <
	       kt_tuning_deadline(s);
}

kt_status kt_tuning_confirm(struct kt_tuning *s, struct kt_planned *out, struct kt_error *err)
{
	struct kt_outcome outcomes[KT_SPECIALS + 1];
	struct kt_selection selection;
	struct kt_finals f;
	kt_status status;
	bool again = false;

	do {
		memset(outcomes, 0, sizeof outcomes);
		outcomes[0].verdict = KT_VERDICT_OK;
		status = gather(&f, &out->contest, s, err);
		THEN(status, kt_finals_time_shapes(&f, s, err));
		THEN(status, compare(&f, s, err));
		if (status == KT_OK && (status = measure_energy(&f, s, err)) != KT_OK)
			out->reason = KT_REASON_NO_ENERGY;
		THEN(status, kt_finals_probe(&f, s, err));
		THEN(status, select_checked(&selection, outcomes, &f, s, err));
		if (status != KT_OK)
			return status;
		again = has_others(s, &f, &selection);
	} while (again && has_time(s));
	/* What was not compared may be faster: the original has not won. */
	s->confirmed = s->confirmed && !again;
	out->contest.wrong = f.wrong;
	out->contest.enough = s->confirmed;
	if (selection.special_count != 0)
		kt_log("%s: %zu variants by %s rules, left-out regret %.1f%%", s->instance->name, selection.special_count + 1,
		       kt_rule_kind_name(selection.kind), 100 * selection.regret);
	return fill_entry(out, s, &f, &selection, outcomes, err);
}
