/* Problems that a first look need not time: what is concluded, and how often it is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "planning/plan_internal.h"

enum { PROBLEMS = 4, CANDIDATES = 200, SEARCHES = 400 };

struct bench {
	struct kt_tuning s;
	struct kt_plan plan;
	struct kt_config config;
	struct kt_region region;
	bool specialize;
	struct kt_error err;
};

static void set_up(struct bench *b, bool specialize)
{
	/* The largest comes first, so that the order is another one. */
	static const double baseline[PROBLEMS] = {1e6, 3e3, 2e4, 2e5};

	*b = (struct bench){.specialize = specialize};
	b->region = (struct kt_region){.variable_count = 1, .specialize = &b->specialize};
	b->plan.config = &b->config;
	b->s = (struct kt_tuning){.plan = &b->plan, .region = &b->region, .problems = PROBLEMS,
	                          .arena = kt_arena_new((size_t)1 << 24)};
	assert_non_null(b->s.arena);
	assert_int_equal(kt_objective_open(&b->s.objective, PROBLEMS, &b->err), KT_OK);
	for (size_t p = 0; p < PROBLEMS; p++)
		kt_objective_baseline(b->s.objective, p, baseline[p]);
}

static void tear_down(struct bench *b)
{
	kt_objective_close(b->s.objective);
	kt_arena_free(b->s.arena);
}

static void trials_of(struct kt_trial trials[PROBLEMS], const double ns[PROBLEMS])
{
	for (size_t p = 0; p < PROBLEMS; p++)
		trials[p] = (struct kt_trial){.verdict = KT_VERDICT_OK, .timing = {.median_ns = ns[p], .samples = 5}};
}

/* As a search does it: the result of a first look with what it would spare taken out. How many problems were timed. */
static size_t look(struct bench *b, size_t index, const double ns[PROBLEMS], bool *wins)
{
	struct kt_trial trials[PROBLEMS], all[PROBLEMS];
	struct kt_effort effort = {.screen = true};
	double guessed[PROBLEMS], cost;
	size_t timed = 0;
	bool lost = false;

	trials_of(trials, ns);
	trials_of(all, ns);
	*wins = kt_tuning_may_win(&b->s, index, all);
	kt_tuning_race(&effort, &b->s);
	for (size_t i = 0; i < PROBLEMS; i++) {
		const size_t p = effort.order != NULL ? effort.order[i] : i;

		if (lost) {
			trials[p] = (struct kt_trial){.verdict = KT_VERDICT_SKIPPED, .detail = KT_TRIAL_LOST};
			continue;
		}
		timed++;
		lost = effort.lost_ns != NULL && effort.lost_ns[p] > 0 && ns[p] > effort.lost_ns[p];
	}
	for (size_t p = 0; p < PROBLEMS; p++)
		guessed[p] = kt_tuning_trial_ns(&b->s, p, &trials[p], true);
	assert_int_equal(kt_tuning_fill_lost(guessed, &b->s, trials), timed < PROBLEMS);
	for (size_t p = 0; p < PROBLEMS; p++) {
		assert_true(guessed[p] > 0);
		assert_true(!kt_tuning_is_lost(&trials[p]) || guessed[p] > 1.01 * kt_objective_best_ns(b->s.objective, p));
	}
	/* What was spared does not win by what it was spared. */
	if (timed < PROBLEMS)
		assert_true(!kt_tuning_may_win(&b->s, index, trials) || *wins);
	kt_tuning_note_ratios(&b->s, trials);
	assert_int_equal(kt_objective_add(&cost, b->s.objective, index, guessed, &b->err), KT_OK);
	return timed;
}

static double uniform(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

/* Slow by a factor that all problems share, and by another one of each problem; the quick problem is mostly launch. */
static void draw(double ns[PROBLEMS], uint64_t *state, double own)
{
	static const double best[PROBLEMS] = {2e5, 2e3, 5e3, 4e4};
	const double all = exp(1.6 * uniform(state) * uniform(state));

	for (size_t p = 0; p < PROBLEMS; p++)
		ns[p] = best[p] * (p == 1 ? 1 + 0.1 * (all - 1) : all) * exp(own * (uniform(state) - 0.5));
}

static void nothing_before_it_is_known(void **state)
{
	static const double ns[PROBLEMS] = {2e5, 2e3, 5e3, 4e4};
	struct bench b;
	bool wins;

	(void)state;
	set_up(&b, false);
	for (size_t i = 0; i < 12; i++) {
		struct kt_effort effort = {.screen = true};

		kt_tuning_race(&effort, &b.s);
		assert_null(effort.order);
		assert_int_equal(look(&b, i, ns, &wins), PROBLEMS);
	}
	struct kt_effort effort = {.screen = true};

	kt_tuning_race(&effort, &b.s);
	assert_non_null(effort.order);
	/* By what the original takes. */
	assert_int_equal(effort.order[0], 1);
	assert_int_equal(effort.order[1], 2);
	assert_int_equal(effort.order[2], 3);
	assert_int_equal(effort.order[3], 0);
	/* Who records a space has all of it. */
	b.config.t4 = "folder";
	effort = (struct kt_effort){.screen = true};
	kt_tuning_race(&effort, &b.s);
	assert_null(effort.order);
	tear_down(&b);
}

/* Most losers are spared the slow problems, and of those that would have been verified hardly one is. */
static void losers_are_spared(void **state)
{
	(void)state;
	for (int specialize = 0; specialize < 2; specialize++) {
		size_t timed = 0, spared_winners = 0, winners = 0, looks = 0;
		uint64_t random = 7;

		for (size_t search = 0; search < SEARCHES; search++) {
			struct bench b;

			set_up(&b, specialize != 0);
			for (size_t i = 0; i < CANDIDATES; i++) {
				double ns[PROBLEMS];
				bool wins;

				draw(ns, &random, 0.3);
				const size_t own = look(&b, i, ns, &wins);

				timed += own;
				looks++;
				winners += wins;
				spared_winners += wins && own < PROBLEMS;
			}
			tear_down(&b);
		}
		if ((double)timed / (double)looks > (specialize ? 3.2 : 3.05))
			fail_msg("%d: %.2f problems are timed", specialize, (double)timed / (double)looks);
		if ((double)spared_winners > 0.01 * (double)winners)
			fail_msg("%d: %zu of %zu winners are spared", specialize, spared_winners, winners);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_before_it_is_known),
	    cmocka_unit_test(losers_are_spared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
