/* Who is verified beyond a first look. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/plan_internal.h"

enum { PROBLEMS = 2 };

static struct kt_trial trial(double ns)
{
	if (ns <= 0)
		return (struct kt_trial){.verdict = KT_VERDICT_SKIPPED};
	return (struct kt_trial){.verdict = KT_VERDICT_OK, .timing = {.median_ns = ns, .samples = 5}};
}

/* After these rows. A time of 0: a guard keeps it out there. */
static bool may_win(bool specialize, bool baseline, size_t rows, double (*ns)[PROBLEMS], const double own[PROBLEMS])
{
	const struct kt_region region = {.variable_count = 1, .specialize = &specialize};
	const struct kt_trial trials[PROBLEMS] = {trial(own[0]), trial(own[1])};
	struct kt_tuning s = {.region = &region, .problems = PROBLEMS};
	struct kt_error err;
	double cost;
	bool answer;

	assert_int_equal(kt_objective_open(&s.objective, PROBLEMS, &err), KT_OK);
	for (size_t p = 0; p < PROBLEMS && baseline; p++)
		kt_objective_baseline(s.objective, p, 1000);
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(kt_objective_add(&cost, s.objective, i, ns[i], &err), KT_OK);
	answer = kt_tuning_may_win(&s, SIZE_MAX, trials);
	kt_objective_close(s.objective);
	return answer;
}

static void whoever_is_the_best(void **state)
{
	static const struct {
		bool specialize, baseline;
		size_t rows;
		double ns[2][PROBLEMS], own[PROBLEMS];
		bool may;
	} rows[] = {
	    /* The first is what others have to beat, be it slower than the original. */
	    {false, true, 0, {{0}}, {2000, 2000}, true},
	    {false, true, 1, {{500, 500}}, {400, 500}, true},
	    {false, true, 1, {{500, 500}}, {500, 500}, true},
	    {false, true, 1, {{500, 500}}, {505, 502}, true},
	    {false, true, 1, {{500, 500}}, {520, 500}, false},
	    {false, true, 1, {{500, 500}}, {400, 800}, false},
	    /* Faster on one problem counts where that may have a variant of its own. */
	    {true, true, 1, {{500, 500}}, {400, 800}, true},
	    {true, true, 2, {{500, 500}, {300, 900}}, {400, 800}, false},
	    {true, true, 1, {{500, 500}}, {0, 400}, true},
	    {false, true, 1, {{500, 500}}, {0, 400}, false},
	    /* Where the original's time is not known nothing can be judged. */
	    {false, false, 1, {{500, 500}}, {510, 500}, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double ns[2][PROBLEMS];

		for (size_t r = 0; r < 2; r++)
			for (size_t p = 0; p < PROBLEMS; p++)
				ns[r][p] = rows[i].ns[r][p];
		if (may_win(rows[i].specialize, rows[i].baseline, rows[i].rows, ns, rows[i].own) != rows[i].may)
			fail_msg("row %zu", i);
	}
}

/* What few launches are off by is learnt from those that had both; what it is cannot be much, or of one launch. */
static void few_launches_are_off(void **state)
{
	double factors[PROBLEMS] = {1, 1};
	struct kt_tuning s = {.problems = PROBLEMS, .look_factors = factors, .verified = 1};
	struct kt_trial looks[PROBLEMS] = {trial(1050), trial(1000)}, full[PROBLEMS] = {trial(1000), trial(500)};

	(void)state;
	for (size_t p = 0; p < PROBLEMS; p++)
		full[p].timing.samples = 9;
	for (; s.verified < 40; s.verified++)
		kt_tuning_note_looks(&s, looks, full);
	assert_true(fabs(factors[0] - 1000.0 / 1050) < 1e-3);
	assert_true(fabs(factors[1] - 1 / 1.25) < 1e-3);
	assert_true(fabs(kt_tuning_trial_ns(&s, 0, &looks[0], true) - 1000) < 1);
	assert_true(kt_tuning_trial_ns(&s, 0, &looks[0], false) == 1050);
	looks[0].timing.samples = 1;
	assert_true(kt_tuning_trial_ns(&s, 0, &looks[0], true) == 1050);
	kt_tuning_note_looks(&s, looks, full);
	assert_true(fabs(factors[0] - 1000.0 / 1050) < 1e-3);
	/* A guard keeps it out, or it gave up: nothing is learnt. */
	looks[1] = full[0] = trial(0);
	kt_tuning_note_looks(&s, looks, full);
	assert_true(fabs(factors[1] - 1 / 1.25) < 1e-3);
	assert_true(isnan(kt_tuning_trial_ns(&s, 1, &looks[1], true)));
}

static void what_is_screened(void **state)
{
	struct kt_trial seen[] = {{.verdict = KT_VERDICT_OK, .detail = KT_TRIAL_SCREENED},
	                          {.verdict = KT_VERDICT_OK},
	                          {.verdict = KT_VERDICT_OK, .detail = "a launch takes longer by the host's clock"},
	                          {.verdict = KT_VERDICT_WRONG_ANSWER, .detail = KT_TRIAL_SCREENED}};
	const size_t finalists[] = {10, 11, 12, 13, 14};
	struct kt_tuning s = {.problems = 1, .seen = seen, .seen_count = 4};
	struct kt_error err;
	double cost, ns = 500;

	(void)state;
	assert_int_equal(kt_objective_open(&s.objective, 1, &err), KT_OK);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(kt_objective_add(&cost, s.objective, 10 + i, &ns, &err), KT_OK);
	assert_int_equal(kt_tuning_screened(&s, finalists, 5), 1);
	assert_int_equal(kt_tuning_screened(&s, finalists + 1, 4), 0);
	kt_objective_close(s.objective);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whoever_is_the_best),
	    cmocka_unit_test(few_launches_are_off),
	    cmocka_unit_test(what_is_screened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
