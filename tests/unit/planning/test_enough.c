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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_is_the_least_that_keeps_the_promise),
	    cmocka_unit_test(few_are_all_measured_and_many_need_no_more_than_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
