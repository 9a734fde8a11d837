/* How many configurations are enough: one of the best twentieth among them, nineteen times in twenty. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/enough.h"

/* The probability that so many draws without replacement miss all of the best. */
static double missed(size_t total, size_t drawn)
{
	const size_t best = (size_t)ceil(KT_ENOUGH_BEST * (double)total);
	double chance = 1;

	for (size_t i = 0; i < drawn; i++)
		chance *= i + best < total ? (double)(total - best - i) / (double)(total - i) : 0;
	return chance;
}

static void it_is_the_least_that_keeps_the_promise(void **state)
{
	(void)state;
	for (size_t total = 1; total < 3000; total += total < 100 ? 1 : 37) {
		const size_t enough = kt_enough_trials(total);

		assert_true(enough >= 1 && enough <= total);
		assert_true(missed(total, enough) <= 1 - KT_ENOUGH_SURE + 1e-9);
		assert_true(missed(total, enough - 1) > 1 - KT_ENOUGH_SURE - 1e-9);
	}
}

static void few_are_all_measured_and_many_need_no_more_than_some(void **state)
{
	(void)state;
	assert_int_equal(kt_enough_trials(0), 0);
	assert_int_equal(kt_enough_trials(1), 1);
	assert_int_equal(kt_enough_trials(12), 12);
	assert_int_equal(kt_enough_trials(10000000), 59);
}

static const struct kt_search_end in_time = {.total = 200, .measured = 30};

static void what_was_asked_for_and_not_tried_is_a_matter_of_time(void **state)
{
	struct kt_search_end end = in_time;

	(void)state;
	end.waiting = 1;
	for (int i = 1; i < 4; i++) {
		end.asked_all = i & 1;
		end.spent = i >> 1;
		assert_int_equal(kt_enough_state(&end), KT_SEARCH_BUDGET);
		assert_string_equal(kt_enough_why(&end), "the time of the budget is spent");
	}
	end.waiting = 0;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_MEASURED);
	assert_string_equal(kt_enough_why(&end), "the strategy has nothing left to ask for");
	end.asked_all = false;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_TRIALS);
	assert_string_equal(kt_enough_why(&end), "the trials of the budget are spent");
}

static void enough_is_enough_whatever_waits(void **state)
{
	struct kt_search_end end = in_time;

	(void)state;
	end.waiting = 1;
	end.spent = true;
	end.measured = kt_enough_trials(end.total) - 1;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_BUDGET);
	end.measured++;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_MEASURED);
	assert_string_equal(kt_enough_why(&end), "enough configurations were measured to expect nothing much better");
	end.measured = end.total - 1;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_MEASURED);
	end.measured = end.total;
	end.waiting = 0;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_EXHAUSTED);
	assert_string_equal(kt_enough_why(&end), "every configuration was measured");
	end = in_time;
	end.settled = true;
	assert_int_equal(kt_enough_state(&end), KT_SEARCH_MEASURED);
	assert_int_equal(kt_enough_state(&in_time), KT_SEARCH_BUDGET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_is_the_least_that_keeps_the_promise),
	    cmocka_unit_test(few_are_all_measured_and_many_need_no_more_than_some),
	    cmocka_unit_test(what_was_asked_for_and_not_tried_is_a_matter_of_time),
	    cmocka_unit_test(enough_is_enough_whatever_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
