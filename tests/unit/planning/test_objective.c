#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/objective.h"
#include "planning/select.h"

static struct kt_timing timing(double ns, double deviation)
{
	return (struct kt_timing){.median_ns = ns, .mean_ns = ns, .min_ns = ns, .deviation_ns = deviation, .samples = 100};
}

static double add(struct kt_objective *objective, size_t configuration, const double *ns)
{
	struct kt_error err;
	double cost = NAN;

	assert_int_equal(kt_objective_add(&cost, objective, configuration, ns, &err), KT_OK);
	return cost;
}

static void cost_is_inverse_geomean(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double twice[2] = {50, 200}, mixed[2] = {25, 400};

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 400);
	assert_true(fabs(add(objective, 0, twice) - 0.5) < 1e-12);
	assert_true(fabs(add(objective, 1, mixed) - 0.5) < 1e-12);
	assert_true(kt_objective_best_ns(objective, 0) == 25);
	assert_true(kt_objective_best_ns(objective, 1) == 200);
	kt_objective_close(objective);
}

/* A doubtful row is not the best until somebody has found it right. */
static void best_row_is_not_doubtful(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double twice[1] = {50}, faster[1] = {20};

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 1, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	assert_true(kt_objective_best_row(objective) == SIZE_MAX);
	add(objective, 7, NULL);
	assert_true(kt_objective_best_row(objective) == SIZE_MAX);
	add(objective, 3, twice);
	add(objective, 5, faster);
	assert_int_equal(kt_objective_best_row(objective), 2);
	kt_objective_doubt(objective, 2, true);
	assert_int_equal(kt_objective_best_row(objective), 1);
	kt_objective_doubt(objective, 2, false);
	assert_int_equal(kt_objective_best_row(objective), 2);
	kt_objective_close(objective);
}

/* What is twice as fast where three quarters of the weight are is better than the same elsewhere. */
static void problems_have_weights(void **state)
{
	static const double weights[2] = {1.5, 0.5}, one_alone[2] = {2, 0};
	struct kt_objective *objective;
	struct kt_error err;
	double first[2] = {50, 400}, second[2] = {100, 200}, known[2] = {50, NAN};

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_weigh(objective, weights);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 400);
	assert_true(fabs(add(objective, 0, first) - pow(0.5, 0.75)) < 1e-12);
	assert_true(fabs(add(objective, 1, second) - pow(0.5, 0.25)) < 1e-12);
	assert_true(fabs(add(objective, 2, known) - pow(0.5, 0.75)) < 1e-12);
	kt_objective_close(objective);
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_weigh(objective, one_alone);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 400);
	assert_true(fabs(add(objective, 0, first) - 0.5) < 1e-12);
	assert_true(fabs(add(objective, 1, second) - 1) < 1e-12);
	kt_objective_close(objective);
}

/* A row that nobody has verified has a cost and a rank, and is not what others have to beat. */
static void doubtful_rows_are_no_best(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double good[2] = {50, 200}, best[2] = {25, 100};
	size_t top[3];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 400);
	add(objective, 3, good);
	add(objective, 4, best);
	kt_objective_doubt(objective, 1, true);
	assert_true(kt_objective_best_ns(objective, 0) == 50 && kt_objective_best_ns(objective, 1) == 200);
	assert_true(fabs(kt_objective_best_speedup(objective) - 2) < 1e-12);
	assert_true(fabs(kt_objective_cost(objective, 1) - 0.25) < 1e-12);
	assert_int_equal(kt_objective_top(top, 3, objective), 2);
	assert_int_equal(top[0], 4);
	/* Others do not change that, nor does another baseline. */
	add(objective, 5, good);
	kt_objective_baseline(objective, 0, 110);
	assert_true(kt_objective_best_ns(objective, 0) == 50);
	kt_objective_doubt(objective, 1, false);
	assert_true(kt_objective_best_ns(objective, 0) == 25 && kt_objective_best_ns(objective, 1) == 100);
	kt_objective_close(objective);
}

/* A row that turns out to be wrong is no best any more, on no problem; one that is timed again is what it is then. */
static void rows_are_replaced(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double good[2] = {50, 200}, best[2] = {25, 100}, again[2] = {60, 150};
	size_t top[3];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 400);
	add(objective, 3, good);
	add(objective, 4, best);
	assert_true(fabs(kt_objective_cost_of(objective, SIZE_MAX, good) - 0.5) < 1e-12);
	kt_objective_replace(objective, 1, NULL);
	assert_true(fabs(kt_objective_best_speedup(objective) - 2) < 1e-12);
	assert_true(kt_objective_best_ns(objective, 0) == 50 && kt_objective_best_ns(objective, 1) == 200);
	assert_true(isinf(kt_objective_cost(objective, 1)));
	assert_int_equal(kt_objective_top(top, 3, objective), 1);
	assert_int_equal(top[0], 3);
	kt_objective_replace(objective, 0, again);
	assert_true(kt_objective_best_ns(objective, 0) == 60 && kt_objective_best_ns(objective, 1) == 150);
	kt_objective_close(objective);
}

/* What an earlier run measured is there before the original was: it counts from then on. */
static void rows_before_the_baseline_count(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double slow[2] = {80, 320}, fast[2] = {50, 200}, faster[2] = {40, 160};
	size_t top[3];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	assert_true(isinf(add(objective, 7, slow)));
	assert_true(isinf(add(objective, 8, fast)));
	assert_int_equal(kt_objective_top(top, 3, objective), 0);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 400);
	assert_true(fabs(kt_objective_cost(objective, 1) - 0.5) < 1e-12);
	assert_true(fabs(kt_objective_best_speedup(objective) - 2) < 1e-12);
	assert_true(kt_objective_best_ns(objective, 1) == 200);
	add(objective, 9, faster);
	assert_int_equal(kt_objective_top(top, 3, objective), 3);
	assert_int_equal(top[0], 9);
	assert_int_equal(top[1], 8);
	assert_int_equal(top[2], 7);
	kt_objective_close(objective);
}

static void slowdown_costs_more_than_it_gains(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double even[2] = {90, 90}, lopsided[2] = {60, 120};

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 100);
	assert_true(add(objective, 0, even) < add(objective, 1, lopsided));
	kt_objective_close(objective);
}

static void unmeasured_is_infinite(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double nothing[1] = {NAN};

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 1, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	assert_true(isinf(add(objective, 0, nothing)));
	assert_true(kt_objective_best_speedup(objective) == 0);
	kt_objective_close(objective);
}

static void top_is_sorted_and_bounded(void **state)
{
	static const double times[7] = {70, 30, 90, 10, 50, 20, 60};
	struct kt_objective *objective;
	struct kt_error err;
	size_t top[3];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 1, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	for (size_t i = 0; i < 7; i++)
		add(objective, i, &times[i]);
	assert_int_equal(kt_objective_top(top, 3, objective), 3);
	assert_int_equal(top[0], 3);
	assert_int_equal(top[1], 5);
	assert_int_equal(top[2], 1);
	kt_objective_close(objective);
}

/* Where a guard keeps a configuration out the original runs: that problem counts, and counts as 1. */
static void where_it_does_not_run_the_original_does(void **state)
{
	struct kt_objective *objective;
	struct kt_error err;
	double half[2] = {25, NAN};
	size_t name, top[2];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 100);
	assert_true(fabs(add(objective, 7, half) - 0.5) < 1e-12);
	assert_true(isinf(add(objective, 9, NULL)));
	assert_int_equal(kt_objective_rows(objective), 2);
	assert_true(kt_objective_row(&name, objective, 0)[0] == 25 && name == 7);
	assert_true(isnan(kt_objective_row(&name, objective, 1)[0]) && name == 9);
	assert_int_equal(kt_objective_top_on(top, 2, objective, 0), 1);
	assert_int_equal(kt_objective_top_on(top, 2, objective, 1), 0);
	assert_int_equal(kt_objective_top(top, 2, objective), 1);
	assert_int_equal(kt_objective_top_everywhere(top, 2, objective), 0);
	add(objective, 11, (double[]){90, 90});
	assert_int_equal(kt_objective_top(top, 2, objective), 2);
	assert_int_equal(top[0], 7);
	assert_int_equal(kt_objective_top_everywhere(top, 2, objective), 1);
	assert_int_equal(top[0], 11);
	kt_objective_close(objective);
}

static uint32_t first_shapes(void *context, size_t configuration)
{
	(void)context;
	/* Configuration k covers the first k shapes. */
	return ((uint32_t)1 << configuration) - 1;
}

/*
 * Sizes that no problem lists count half as much as those that are, all together: as the nearest problem where they are
 * covered, as the original where a guard keeps the configuration out.
 */
static void shapes_that_are_not_covered_cost(void **state)
{
	static const size_t nearest[4] = {0, 0, 1, 1};
	struct kt_objective *objective;
	struct kt_error err;
	double fast[2] = {10, 10}, slow[2] = {11, 11}, uneven[2] = {10, 40};
	size_t top[3];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_derive(objective, 4, nearest, first_shapes, NULL);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 100);
	/* 10 times faster on what is listed, and 1 on all else: 10^(2/3). */
	assert_true(fabs(add(objective, 0, fast) - pow(0.1, 2.0 / 3)) < 1e-12);
	assert_true(fabs(add(objective, 4, slow) - 0.11) < 1e-12);
	/* Listed 0.1 and 0.4; two shapes of four, a quarter each, are near the first problem. */
	assert_true(fabs(add(objective, 2, uneven) - pow(0.1 * 0.4 * pow(0.1, 0.25) * pow(0.1, 0.25), 1.0 / 3)) < 1e-12);
	assert_true(fabs(kt_objective_cost_of(objective, SIZE_MAX, fast) - 0.1) < 1e-12);
	/* The one that is a little slower and covers everything is the best, and the only one that runs everywhere. */
	assert_int_equal(kt_objective_top(top, 3, objective), 3);
	assert_int_equal(top[0], 4);
	assert_int_equal(kt_objective_top_everywhere(top, 3, objective), 1);
	assert_int_equal(top[0], 4);
	assert_int_equal(kt_objective_top_on(top, 1, objective, 0), 1);
	assert_int_equal(top[0], 0);
	kt_objective_close(objective);
}

static void top_on_one_problem(void **state)
{
	static const double times[4][2] = {{70, 30}, {30, 70}, {50, 10}, {10, 90}};
	struct kt_objective *objective;
	struct kt_error err;
	size_t top[2];

	(void)state;
	assert_int_equal(kt_objective_open(&objective, 2, &err), KT_OK);
	kt_objective_baseline(objective, 0, 100);
	kt_objective_baseline(objective, 1, 100);
	for (size_t i = 0; i < 4; i++)
		add(objective, i, times[i]);
	assert_int_equal(kt_objective_top_on(top, 2, objective, 0), 2);
	assert_int_equal(top[0], 3);
	assert_int_equal(top[1], 1);
	assert_int_equal(kt_objective_top_on(top, 1, objective, 1), 1);
	assert_int_equal(top[0], 2);
	kt_objective_close(objective);
}

static size_t winner(const struct kt_timing *timings, size_t rows, size_t problems, bool everywhere)
{
	const struct kt_matrix matrix = {.rows = rows, .problems = problems, .timings = timings};

	return kt_select_winner(&matrix, everywhere, KT_SELECT_NO_LOSS);
}

static void winner_is_the_best_geomean(void **state)
{
	struct kt_timing rows[3] = {timing(100, 0.1), timing(60, 0.1), timing(50, 0.1)};

	(void)state;
	assert_int_equal(winner(rows, 3, 1, false), 2);
}

static void baseline_stays_within_noise(void **state)
{
	struct kt_timing close[2] = {timing(100, 0.1), timing(99.5, 0.1)};
	struct kt_timing noisy[2] = {timing(100, 30), timing(95, 30)};

	(void)state;
	assert_int_equal(winner(close, 2, 1, false), SIZE_MAX);
	assert_int_equal(winner(noisy, 2, 1, false), SIZE_MAX);
}

static void no_problem_may_lose(void **state)
{
	/* Two problems: the first candidate wins twice over on one and loses 10% on the other. */
	struct kt_timing rows[3][2] = {{timing(100, 0.1), timing(100, 0.1)},
	                               {timing(50, 0.1), timing(110, 0.1)},
	                               {timing(90, 0.1), timing(95, 0.1)}};

	(void)state;
	assert_int_equal(winner(rows[0], 3, 2, false), 2);
	assert_int_equal(winner(rows[0], 2, 2, false), SIZE_MAX);
	rows[2][1].median_ns = 0;
	assert_int_equal(winner(rows[0], 3, 2, false), 2);
	assert_int_equal(winner(rows[0], 3, 2, true), SIZE_MAX);
}

/* Which of two that are as good as equal is ahead is chance: the first one is taken, whatever another run measures. */
static void ties_go_to_the_first(void **state)
{
	(void)state;
	for (int k = -4; k <= 4; k++) {
		struct kt_timing rows[3] = {timing(4000, 4), timing(2000, 4), timing(2000 + k, 4)};

		assert_int_equal(winner(rows, 3, 1, false), 1);
	}
	struct kt_timing clear[3] = {timing(4000, 4), timing(2000, 4), timing(1980, 4)};
	assert_int_equal(winner(clear, 3, 1, false), 2);
}

static struct kt_entry entry_of(struct kt_timing *baseline, struct kt_timing *tuned, struct kt_unlisted *unlisted)
{
	return (struct kt_entry){.problem_count = 1, .baseline = baseline, .tuned = tuned, .parameter_count = 1,
	                         .unlisted_count = unlisted != NULL ? 1 : 0, .unlisted = unlisted};
}

/* A result that is a little faster on what is listed and runs the original elsewhere is no better. */
static void entries_are_compared_beyond_their_problems(void **state)
{
	struct kt_timing baseline = timing(1000, 0.1), fast = timing(100, 0.1), slower = timing(105, 0.1);
	struct kt_unlisted original = {NULL, KT_UNLISTED_ORIGINAL, 1000, 1000}, served = {NULL, 0, 1000, 110};
	const struct kt_entry narrow = entry_of(&baseline, &fast, &original), wide = entry_of(&baseline, &slower, &served);
	const struct kt_entry old = entry_of(&baseline, &fast, NULL);

	(void)state;
	assert_true(kt_entry_beats(&wide, &narrow));
	assert_false(kt_entry_beats(&narrow, &wide));
	/* Of one from before only the problems are known. */
	assert_false(kt_entry_beats(&wide, &old));
	assert_true(kt_entry_beats(&old, &wide));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(entries_are_compared_beyond_their_problems),
	    cmocka_unit_test(shapes_that_are_not_covered_cost),
	    cmocka_unit_test(problems_have_weights),
	    cmocka_unit_test(best_row_is_not_doubtful),
	    cmocka_unit_test(cost_is_inverse_geomean),
	    cmocka_unit_test(slowdown_costs_more_than_it_gains),
	    cmocka_unit_test(unmeasured_is_infinite),    cmocka_unit_test(top_is_sorted_and_bounded),
	    cmocka_unit_test(winner_is_the_best_geomean), cmocka_unit_test(baseline_stays_within_noise),
	    cmocka_unit_test(no_problem_may_lose),       cmocka_unit_test(where_it_does_not_run_the_original_does),
	    cmocka_unit_test(top_on_one_problem),        cmocka_unit_test(rows_before_the_baseline_count),
	    cmocka_unit_test(rows_are_replaced), cmocka_unit_test(doubtful_rows_are_no_best),
	    cmocka_unit_test(ties_go_to_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
