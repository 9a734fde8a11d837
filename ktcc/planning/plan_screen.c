/*
 * Which candidates are verified beyond a first look: those that become the best, and those that come into the last
 * comparison. All others have lost, right or wrong.
 */
#include <math.h>
#include <string.h>

#include "planning/plan_internal.h"

/* More than that is no offset of few launches; the newest of many count more. */
static const double factor_most = 1.25, factor_among = 8;

/* What ends the race of a candidate: by this factor a median of five may be off. */
static const double look_doubt = 1.01;
/* What improves on the best by less is as good as that, and is verified where it is compared, as a finalist. */
static const double look_gain = 0.995;

double kt_tuning_trial_ns(const struct kt_tuning *s, size_t problem, const struct kt_trial *trial, bool look)
{
	const double factor = look && s->look_factors != NULL && trial->timing.samples > 1 ? s->look_factors[problem] : 1;

	return trial->verdict == KT_VERDICT_OK && trial->timing.samples > 0 ? trial->timing.median_ns * factor : NAN;
}

void kt_tuning_note_looks(struct kt_tuning *s, const struct kt_trial *looks, const struct kt_trial *full)
{
	for (size_t p = 0; s->look_factors != NULL && p < s->problems; p++) {
		const double before = kt_tuning_trial_ns(s, p, &looks[p], false), after = kt_tuning_trial_ns(s, p, &full[p], false);
		const double ratio = fmin(factor_most, fmax(1 / factor_most, after / before));

		/* One that gave up had few launches as well. */
		if (looks[p].timing.samples > 1 && full[p].timing.samples > looks[p].timing.samples && ratio > 0)
			s->look_factors[p] += (ratio - s->look_factors[p]) / fmin((double)s->verified + 1, factor_among);
	}
}

/* Of what a first look found: is the cost, or where that counts the time on a problem, within this factor of the best? */
static bool is_within(const struct kt_tuning *s, size_t index, const struct kt_trial *trials, double factor)
{
	const double speedup = kt_objective_best_speedup(s->objective);
	double ns[KT_PROBLEMS];
	bool fastest = false;

	for (size_t p = 0; p < s->problems; p++) {
		ns[p] = kt_tuning_trial_ns(s, p, &trials[p], true);
		fastest = fastest || (ns[p] > 0 && ns[p] <= kt_objective_best_ns(s->objective, p) * factor);
	}
	(void)kt_tuning_fill_lost(ns, s, trials);
	/* The first one is what the others have to beat, and one that cannot be judged may be anything. */
	return !(kt_objective_cost_of(s->objective, index, ns) * speedup > factor) || speedup <= 0 ||
	       (fastest && kt_tuning_specialises(s));
}

bool kt_tuning_may_win(const struct kt_tuning *s, size_t index, const struct kt_trial *trials)
{
	return is_within(s, index, trials, look_doubt);
}

bool kt_tuning_may_improve(const struct kt_tuning *s, size_t index, const struct kt_trial *trials)
{
	return is_within(s, index, trials, look_gain);
}

bool kt_tuning_is_screened(const struct kt_trial *seen)
{
	return seen->verdict == KT_VERDICT_OK && seen->detail != NULL && strcmp(seen->detail, KT_TRIAL_SCREENED) == 0;
}

/* The row of a configuration; how many there are: none. */
static size_t row_of(const struct kt_tuning *s, size_t index)
{
	size_t row = 0, other;

	for (; row < kt_objective_rows(s->objective); row++) {
		(void)kt_objective_row(&other, s->objective, row);
		if (other == index)
			break;
	}
	return row;
}

size_t kt_tuning_screened(const struct kt_tuning *s, const size_t *finalists, size_t count)
{
	size_t screened = 0;

	for (size_t i = 0; i < count; i++) {
		const size_t row = row_of(s, finalists[i]);

		screened += row < s->seen_count && kt_tuning_is_screened(&s->seen[row]);
	}
	return screened;
}

static kt_status verify(bool *right, struct kt_tuning *s, const struct kt_built *built, size_t row,
                        struct kt_error *err)
{
	const size_t index = built->ticket - 1;
	const struct kt_candidate candidate = {built->cubin, built->function, kt_space_get(s->space, index)};
	struct kt_outcome outcome;
	double ns[KT_PROBLEMS];
	TRY(kt_tuning_ask_runner(&outcome, s, &candidate, err));

	kt_tuning_remember_outcome(ns, s, index, &outcome);
	*right = outcome.verdict == KT_VERDICT_OK;
	s->seen[row].verdict = outcome.verdict;
	s->seen[row].detail = NULL;
	kt_objective_replace(s->objective, row, *right ? ns : NULL);
	kt_objective_doubt(s->objective, row, false);
	if (*right || outcome.verdict == KT_VERDICT_SKIPPED)
		return KT_OK;
	s->wrong++;
	kt_tuning_remember_wrong(s, index, &outcome);
	return KT_OK;
}

kt_status kt_tuning_verify_screened(bool *settled, struct kt_tuning *s, const size_t *finalists, size_t count,
                                    struct kt_error *err)
{
	*settled = true;
	for (size_t i = 0; i < count; i++) {
		const size_t row = row_of(s, finalists[i]);
		const struct kt_built *built = kt_tuning_built(s, finalists[i]);
		bool right = true;
		if (row >= s->seen_count || built == NULL || !kt_tuning_is_screened(&s->seen[row]) ||
		    kt_now_s() + kt_tuning_verify_seconds(s) > kt_tuning_hard_end(s))
			continue;
		kt_store_lease_beat(s->plan->lease);
		TRY(verify(&right, s, built, row, err));
		*settled = *settled && right;
	}
	return KT_OK;
}
