/* Choosing by energy: costs that stand in for times, and what is worth to be shown. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/plan_energy.h"
#include "planning/select.h"

static struct kt_timing timing(double ns)
{
	return (struct kt_timing){.median_ns = ns, .mean_ns = 1.1 * ns, .min_ns = 0.9 * ns, .deviation_ns = 0.001 * ns,
	                          .samples = 100};
}

static size_t winner(const struct kt_timing *costs, size_t rows)
{
	const struct kt_matrix matrix = {.rows = rows, .problems = 1, .timings = costs};

	return kt_select_winner(&matrix, false, KT_SELECT_NO_LOSS);
}

/* Row 0 is the original; by time the first wins, by energy the second, by the product the third. */
static void who_wins_goes_by_the_goal(void **state)
{
	const struct kt_timing timings[] = {timing(1000), timing(500), timing(700), timing(550)};
	const struct kt_energy energies[] = {{1e-3, 0.01}, {0.9e-3, 0.01}, {0.5e-3, 0.01}, {0.6e-3, 0.01}};
	static const size_t winners[] = {[KT_GOAL_TIME] = 1, [KT_GOAL_ENERGY] = 2, [KT_GOAL_EDP] = 3};
	struct kt_timing costs[4];

	(void)state;
	for (int goal = KT_GOAL_TIME; goal <= KT_GOAL_EDP; goal++) {
		kt_energy_costs(costs, (enum kt_goal)goal, timings, energies, 4);
		assert_int_equal(winner(costs, 4), winners[goal]);
		for (size_t i = 0; i < 4; i++) {
			assert_true(costs[i].min_ns < costs[i].median_ns && costs[i].median_ns < costs[i].mean_ns);
			assert_int_equal(costs[i].samples, 100);
		}
	}
}

/* A gain that is less than what is known of the energy is none. */
static void uncertainty_counts(void **state)
{
	const struct kt_timing timings[] = {timing(1000), timing(1000)};
	static const struct {
		double joules, error;
		size_t winner;
	} rows[] = {{0.95e-3, 0.005, 1}, {0.95e-3, 0.2, SIZE_MAX}, {0.5e-3, 0.2, 1}, {0.999e-3, 0.0001, SIZE_MAX}};
	struct kt_timing costs[2];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct kt_energy energies[] = {{1e-3, rows[i].error}, {rows[i].joules, rows[i].error}};

		kt_energy_costs(costs, KT_GOAL_ENERGY, timings, energies, 2);
		assert_true(fabs(kt_timing_noise(&costs[1]) / (rows[i].error / 2) - 1) < 1e-9);
		assert_int_equal(winner(costs, 2), rows[i].winner);
	}
}

static void what_was_not_measured_costs_nothing_known(void **state)
{
	const struct kt_timing timings[] = {{0}, timing(10)};
	const struct kt_energy energies[] = {{0, 0}, {0, 0}};
	struct kt_timing costs[2];

	(void)state;
	kt_energy_costs(costs, KT_GOAL_EDP, timings, energies, 2);
	assert_true(costs[0].median_ns == 0 && costs[1].median_ns == 0 && costs[1].deviation_ns == 0);
}

static void pareto(void **state)
{
	struct kt_energy_point points[] = {{NULL, 9, 9}, {NULL, 5, 8}, {NULL, 6, 8}, {NULL, 7, 3},
	                                   {NULL, 5, 7}, {NULL, 4, 8}, {NULL, 8, 3}, {NULL, 4, 8}};
	static const double kept[][2] = {{4, 8}, {4, 8}, {5, 7}, {7, 3}};
	size_t count = kt_energy_pareto(points, sizeof points / sizeof *points);

	(void)state;
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++)
		assert_true(points[i].time_ns == kept[i][0] && points[i].energy_uj == kept[i][1]);
	assert_int_equal(kt_energy_pareto(points, 0), 0);
	assert_int_equal(kt_energy_pareto(points, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(who_wins_goes_by_the_goal),
	    cmocka_unit_test(uncertainty_counts),
	    cmocka_unit_test(what_was_not_measured_costs_nothing_known),
	    cmocka_unit_test(pareto),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
