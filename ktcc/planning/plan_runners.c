/*
 * Several devices of one kind on one search: each candidate goes to whichever is free. Their times are compared with each
 * other, so that only those take part that measure the original alike; the last comparison is on the first one alone.
 */
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "planning/plan_internal.h"

/* The difference on the original up to which two devices measure alike, and the rounds in which it is measured. */
static const double alike = 0.01;
enum { ROUNDS = 3 };

/* The longest wait for an answer before what else there is to do is looked at. */
static const double wait_s = 0.002;
/* After that time without an answer only the oldest one is waited for. */
static const double patience_s = 1;

static kt_status prepare(struct kt_tuning *s, struct kt_tester *helper, struct kt_error *err)
{
	struct kt_plan plan = *s->plan;
	bool by_host = false;

	plan.tester = helper;
	return kt_plan_region(&by_host, s->arena, &plan, s->original_cubin, s->original_function, NULL, err);
}

static double middle(const double *three)
{
	return fmax(fmin(three[0], three[1]), fmin(fmax(three[0], three[1]), three[2]));
}

/* The original on both, in turns: the geometric mean over the problems of how much longer the helper takes. */
static kt_status compare(double *ratio, struct kt_tuning *s, struct kt_tester *helper, struct kt_error *err)
{
	const struct kt_candidate original = {NULL, NULL, NULL};
	const struct kt_effort effort = kt_tuning_search_effort(s);
	struct kt_timing *own = kt_arena_array(s->arena, ROUNDS * s->problems, sizeof *own);
	struct kt_timing *others = kt_arena_array(s->arena, ROUNDS * s->problems, sizeof *others);
	kt_status status = own != NULL && others != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "runners: out of memory");
	double sum = 0;
	size_t count = 0;

	for (size_t r = 0; r < ROUNDS && status == KT_OK; r++) {
		status = kt_tester_compare(&own[r * s->problems], s->arena, s->plan->tester, &original, 1, &effort, err);
		THEN(status, kt_tester_compare(&others[r * s->problems], s->arena, helper, &original, 1, &effort, err));
	}
	for (size_t p = 0; p < s->problems && status == KT_OK; p++) {
		double ns[2][ROUNDS];

		for (size_t r = 0; r < ROUNDS; r++) {
			ns[0][r] = own[r * s->problems + p].median_ns;
			ns[1][r] = others[r * s->problems + p].median_ns;
		}
		if (middle(ns[0]) > 0 && middle(ns[1]) > 0) {
			sum += log(middle(ns[1]) / middle(ns[0]));
			count++;
		}
	}
	*ratio = count != 0 ? exp(sum / (double)count) : INFINITY;
	return status;
}

/* Is it of use? Checks that one of them cannot run would make verdicts differ. */
static bool serves(struct kt_tuning *s, struct kt_tester *helper)
{
	struct kt_error err;
	double ratio;

	if (prepare(s, helper, &err) != KT_OK || compare(&ratio, s, helper, &err) != KT_OK) {
		kt_log("%s: a further device is not used: %s", s->instance->name, err.message);
		return false;
	}
	if (kt_tester_checks(helper) != kt_tester_checks(s->plan->tester)) {
		kt_log("%s: a further device is not used: the original fails on other checks there", s->instance->name);
		return false;
	}
	if (fabs(ratio - 1) <= alike)
		return true;
	kt_log("%s: a further device is not used: it measures otherwise, %.2f%% %s on the original", s->instance->name,
	       100 * fabs(ratio - 1), ratio > 1 ? "slower" : "faster");
	return false;
}

static void poll(void *state)
{
	kt_tuning_poll(state);
}

void kt_tuning_recruit(struct kt_tuning *s)
{
	s->testers[0] = s->plan->tester;
	s->tester_count = 1;
	for (size_t i = 0; s->plan->helper_count != NULL && i < *s->plan->helper_count && s->tester_count < KT_RUNNERS; i++) {
		struct kt_tester *helper = s->plan->helpers[i];

		kt_tester_meanwhile(helper, poll, s);
		if (serves(s, helper))
			s->testers[s->tester_count++] = helper;
		else
			kt_tester_meanwhile(helper, NULL, NULL);
	}
	if (s->tester_count > 1)
		kt_log("%s: %zu devices measure alike", s->instance->name, s->tester_count);
}

struct kt_tester *kt_tuning_free_tester(const struct kt_tuning *s)
{
	struct kt_tester *best = NULL;

	for (size_t i = 0; i < s->tester_count; i++) {
		struct kt_tester *one = s->testers[i];

		if (kt_tester_may_begin(one) && (best == NULL || kt_tester_begun(one) < kt_tester_begun(best)))
			best = one;
	}
	return best;
}

/* Of what is under way at this tester, what it answers next. */
static size_t oldest(const struct kt_tuning *s, const struct kt_tester *tester)
{
	size_t place = 0;

	while (s->under_way[place].tester != tester)
		place++;
	return place;
}

size_t kt_tuning_next_answer(struct kt_tuning *s)
{
	const double until_s = kt_now_s() + patience_s;

	/* One that is alone, or hangs, is waited for where its time limit is known. */
	while (s->tester_count > 1 && kt_now_s() < until_s) {
		int fds[KT_RUNNERS];

		for (size_t i = 0; i < s->tester_count; i++) {
			if (kt_tester_answers(s->testers[i]))
				return oldest(s, s->testers[i]);
			fds[i] = kt_tester_begun(s->testers[i]) != 0 ? kt_tester_fd(s->testers[i]) : -1;
		}
		kt_wait_readable(fds, s->tester_count, wait_s);
		kt_tuning_poll(s);
	}
	return 0;
}

void kt_tuning_dismiss(struct kt_tuning *s)
{
	for (size_t i = 1; i < s->tester_count; i++) {
		kt_tester_abandon(s->testers[i]);
		kt_tester_meanwhile(s->testers[i], NULL, NULL);
	}
}
