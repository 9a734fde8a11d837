/*
 * Which problems a first look need not time. Problems are alike: what is slow on one is slow on others, by a factor that
 * candidates of one text have in common. Of each pair of problems the least ratio of times is kept that any candidate
 * has had; with it the time on one problem gives the least time that others would take. Where that is more than the time
 * to beat, the candidate has lost. Quick problems come first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planning/plan_internal.h"

/* Candidates that were timed on all problems before anything is concluded; more problems than that are not compared. */
enum { SEEN_LEAST = 12, PROBLEMS_MOST = 32, HALVINGS = 40 };

/* The next candidate may have a smaller ratio than any before; none is faster than best_slack × the best on a problem. */
static const double ratio_slack = 0.8, best_slack = 0.9;

/* As plan_screen.c has it: who is slower by that has lost. */
static const double clearly_slower = 1.01;

static bool races(const struct kt_tuning *s)
{
	const struct kt_plan *plan = s->plan;

	/* Who records a space wants all of it. */
	return s->problems > 1 && s->problems <= PROBLEMS_MOST && plan->config->t4 == NULL && plan->config->record == NULL &&
	       (plan->strategy == NULL || strcmp(plan->strategy, "exhaustive") != 0);
}

void kt_tuning_note_ratios(struct kt_tuning *s, const struct kt_trial *looks)
{
	const size_t count = s->problems;

	if (count < 2 || count > PROBLEMS_MOST)
		return;
	if (s->least_ratios == NULL) {
		s->least_ratios = kt_arena_array(s->arena, count * count, sizeof *s->least_ratios);
		for (size_t i = 0; s->least_ratios != NULL && i < count * count; i++)
			s->least_ratios[i] = INFINITY;
	}
	for (size_t p = 0; p < count; p++)
		if (!(kt_tuning_trial_ns(s, p, &looks[p], true) > 0))
			return;
	for (size_t p = 0; s->least_ratios != NULL && p < count; p++)
		for (size_t q = 0; q < count; q++) {
			double *least = &s->least_ratios[p * count + q];

			*least = fmin(*least, looks[q].timing.median_ns / looks[p].timing.median_ns);
		}
	s->ratios_seen++;
}

/* At least what problem q takes where problem p takes ns. */
static double at_best(const struct kt_tuning *s, size_t p, double ns, size_t q)
{
	return p == q ? ns : ratio_slack * ns * s->least_ratios[p * s->problems + q];
}

/* Would a candidate with this time on problem p lose in general, were all others at their best? */
static bool loses(const struct kt_tuning *s, size_t p, double ns)
{
	double own[PROBLEMS_MOST];

	for (size_t q = 0; q < s->problems; q++)
		own[q] = fmax(at_best(s, p, ns, q), p == q ? 0 : best_slack * kt_objective_best_ns(s->objective, q));
	return kt_objective_cost_of(s->objective, SIZE_MAX, own) * kt_objective_best_speedup(s->objective) > clearly_slower;
}

/* Is problem q timed after p? */
static bool comes_after(const struct kt_tuning *s, size_t q, size_t p)
{
	const double a = kt_objective_baseline_ns(s->objective, q), b = kt_objective_baseline_ns(s->objective, p);

	return a > b || (a == b && q > p); /* NOLINT: equal as they were measured */
}

/* Above which time on p all is lost; 0: never. */
static double lost_from(const struct kt_tuning *s, size_t p)
{
	const double best = kt_objective_best_ns(s->objective, p);
	double low = best, high = 1e4 * best;

	if (!(best > 0) || !loses(s, p, high))
		return 0;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = sqrt(low * high);

		*(loses(s, p, middle) ? &high : &low) = middle;
	}
	if (!kt_tuning_specialises(s))
		return high;
	/* It must not be the fastest on any of the problems that would be left out either. */
	high = fmax(high, clearly_slower * best);
	for (size_t q = 0; q < s->problems; q++)
		if (comes_after(s, q, p))
			high = fmax(high, clearly_slower * kt_objective_best_ns(s->objective, q) / at_best(s, p, 1, q));
	return high;
}

static int by_baseline(const void *a, const void *b, void *tuning)
{
	const size_t p = *(const size_t *)a, q = *(const size_t *)b;

	return p == q ? 0 : comes_after(tuning, p, q) ? 1 : -1;
}

void kt_tuning_race(struct kt_effort *effort, struct kt_tuning *s)
{
	size_t *order;
	double *lost;

	if (!races(s) || s->ratios_seen < SEEN_LEAST || kt_objective_best_speedup(s->objective) <= 0)
		return;
	order = kt_arena_array(s->arena, s->problems, sizeof *order);
	lost = kt_arena_array(s->arena, s->problems, sizeof *lost);
	if (order == NULL || lost == NULL)
		return;
	for (size_t p = 0; p < s->problems; p++) {
		order[p] = p;
		lost[p] = kt_objective_baseline_ns(s->objective, p) > 0 ? lost_from(s, p) : 0;
	}
	qsort_r(order, s->problems, sizeof *order, by_baseline, s);
	effort->order = order;
	effort->lost_ns = lost;
}

bool kt_tuning_is_lost(const struct kt_trial *trial)
{
	return trial->verdict == KT_VERDICT_SKIPPED && trial->detail != NULL && strcmp(trial->detail, KT_TRIAL_LOST) == 0;
}

bool kt_tuning_fill_lost(double *ns, const struct kt_tuning *s, const struct kt_trial *trials)
{
	double logs = 0;
	size_t measured = 0, lost = 0;

	for (size_t p = 0; p < s->problems; p++) {
		lost += kt_tuning_is_lost(&trials[p]);
		if (!(ns[p] > 0) || !(kt_objective_best_ns(s->objective, p) > 0))
			continue;
		logs += log(ns[p] / kt_objective_best_ns(s->objective, p));
		measured++;
	}
	for (size_t p = 0; p < s->problems && lost != 0 && measured != 0; p++)
		if (kt_tuning_is_lost(&trials[p]))
			ns[p] = kt_objective_best_ns(s->objective, p) * fmax(2 * clearly_slower - 1, exp(logs / (double)measured));
	return lost != 0;
}
