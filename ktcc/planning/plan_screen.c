/*
 * Who is verified beyond a first look: whoever becomes the best, and whoever comes into the last comparison. All others
 * have lost, right or wrong.
 */
#include <math.h>
#include <string.h>

#include "planning/plan_internal.h"

/* What ends the race of a candidate on a problem. */
static bool is_clearly_slower(const struct kt_timing *timing, double best_ns)
{
	return timing->median_ns > best_ns;
}

bool kt_tuning_may_win(const struct kt_tuning *s, const struct kt_trial *trials)
{
	const double speedup = kt_objective_best_speedup(s->objective);
	double ns[KT_PROBLEMS];
	bool fastest = false;

	for (size_t p = 0; p < s->problems; p++) {
		const bool timed = trials[p].verdict == KT_VERDICT_OK && trials[p].timing.samples > 0;

		ns[p] = timed ? trials[p].timing.median_ns : NAN;
		fastest = fastest || (timed && !is_clearly_slower(&trials[p].timing, kt_objective_best_ns(s->objective, p)));
	}
	/* The first one is what the others have to beat, and one that cannot be judged may be anything. */
	return !(kt_objective_cost_of(s->objective, ns) * speedup > 1) || speedup <= 0 ||
	       (fastest && kt_tuning_specialises(s));
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
	kt_status status = kt_tuning_ask_runner(&outcome, s, &candidate, false, err);

	if (status != KT_OK)
		return status;
	kt_tuning_remember_outcome(ns, s, index, &outcome);
	*right = outcome.verdict == KT_VERDICT_OK;
	s->seen[row].verdict = outcome.verdict;
	s->seen[row].detail = NULL;
	kt_objective_replace(s->objective, row, *right ? ns : NULL);
	if (*right || outcome.verdict == KT_VERDICT_SKIPPED)
		return KT_OK;
	s->wrong++;
	kt_tuning_remember_wrong(s, index, &outcome);
	return KT_OK;
}

kt_status kt_tuning_verify_screened(bool *settled, struct kt_tuning *s, const size_t *finalists, size_t count,
                                    struct kt_error *err)
{
	kt_status status = KT_OK;

	*settled = true;
	for (size_t i = 0; i < count && status == KT_OK; i++) {
		const size_t row = row_of(s, finalists[i]);
		const struct kt_built *built = kt_tuning_built(s, finalists[i]);
		bool right = true;

		if (row >= s->seen_count || built == NULL || !kt_tuning_is_screened(&s->seen[row]) ||
		    kt_now_s() + kt_tuning_verify_seconds(s) > kt_tuning_hard_end(s))
			continue;
		kt_store_lease_beat(s->plan->lease);
		status = verify(&right, s, built, row, err);
		*settled = *settled && right;
	}
	return status;
}
