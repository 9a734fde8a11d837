/* The same with launches that no problem lists. */
#include "select_world.h"

#include "planning/objective.h"

/* What asks for whole vectors is for the sizes that have them; all others are the general one's, though it is slower. */
static void the_general_one_covers_what_any_covers(void **state)
{
	static const uint32_t covers[] = {0, 1, 7};
	struct world *w = *state;

	select_one_variable(w, 6, (int64_t[]){1024, 65536, 1048576, 8192, 300007, 1});
	select_unlisted(w, 3, covers);
	select_row(w, (double[]){3000, 9000, 90000, 4000, 40000, 2000});
	select_row(w, (double[]){2000, 3000, 20000, 2100, 0, 0});
	select_row(w, (double[]){2080, 3200, 21000, 2180, 9000, 2000});
	for (int special = 0; special < 2; special++) {
		const struct kt_selection s = select_chosen(w, special != 0);

		assert_int_equal(s.general, 2);
		assert_int_equal(s.special_count, special);
		for (size_t p = 0; p < 6; p++)
			assert_int_equal(kt_selection_row(&s, p), special != 0 && p < 4 ? 1 : 2);
	}
}

/* Coverage is not given up, not even where that would be the better whole. */
static void coverage_is_not_given_up_for_speed(void **state)
{
	static const uint32_t covers[] = {0, 1, 3};
	struct world *w = *state;

	select_one_variable(w, 4, (int64_t[]){1024, 65536, 8192, 333});
	select_unlisted(w, 2, covers);
	select_row(w, (double[]){3000, 9000, 4000, 2500});
	select_row(w, (double[]){300, 900, 400, 0});
	select_row(w, (double[]){2800, 8500, 3800, 2300});
	assert_int_equal(select_chosen(w, false).general, 2);
	assert_int_equal(select_chosen(w, true).general, 2);
}

/* Of two that are alike on what is listed the one that is faster elsewhere is general. */
static void unlisted_times_decide_between_equals(void **state)
{
	static const uint32_t covers[] = {0, 7, 7};
	struct world *w = *state;

	select_one_variable(w, 5, (int64_t[]){4096, 65536, 1, 8191, 131});
	select_unlisted(w, 3, covers);
	select_row(w, (double[]){4000, 64000, 2000, 8000, 2100});
	select_row(w, (double[]){1980, 31800, 1990, 7000, 2050});
	select_row(w, (double[]){2000, 32000, 1990, 4500, 2050});
	assert_int_equal(select_chosen(w, false).general, 2);
	w->timings[2 * 5 + 3].median_ns = 7000;
	assert_int_equal(select_chosen(w, false).general, 1);
}

/* Where everything that helps large sizes hurts small ones, the small ones are the original's: a threshold. */
static void small_sizes_keep_the_original(void **state)
{
	static const uint32_t covers[] = {0, 15};
	struct world *w = *state;

	select_one_variable(w, 6, (int64_t[]){4096, 65536, 1, 63, 1025, 30001});
	select_unlisted(w, 4, covers);
	select_row(w, (double[]){4000, 64000, 2000, 2050, 3000, 30000});
	select_row(w, (double[]){2000, 30000, 3000, 3000, 2000, 15000});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.general, 0);
		assert_int_equal(s.special_count, 1);
		/* Half way between 63 and 1025. */
		assert_string_equal(s.when[0], "rows >= 255");
		assert_int_equal(select_at(w, &s, 1, 0), 0);
		assert_int_equal(select_at(w, &s, 30001, 0), 1);
		assert_int_equal(select_at(w, &s, 1 << 30, 0), 1);
	}
}

/* What loses among those that gain is left out; a size that gains little is given up for a condition that is simple. */
static void bounds_leave_out_what_loses(void **state)
{
	static const uint32_t covers[] = {0, 63};
	static const int64_t values[] = {1000, 64, 4096, 4096, 300, 90, 900, 300, 2000, 90, 8, 40000, 310, 95, 100, 100};
	struct world *w = *state;

	w->matrix.variables = 2;
	w->matrix.problems = 8;
	memcpy(w->values, values, sizeof values);
	select_unlisted(w, 6, covers);
	select_row(w, (double[]){10000, 90000, 20000, 30000, 40000, 20000, 20000, 9000});
	select_row(w, (double[]){5000, 45000, 19000, 15000, 20000, 60000, 60000, 24000});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.kind, KT_RULE_BOUNDS);
		for (size_t p = 0; p < 8; p++)
			assert_true(p == 2 || select_at(w, &s, values[2 * p], values[2 * p + 1]) == (p < 5));
	}
}

/* Columns in vectors of four: where they do not divide a row what is left goes one by one, and is slower. */
static void a_divisor_keeps_odd_rows_out(void **state)
{
	static const uint32_t covers[] = {0, 511};
	static const int64_t values[] = {256, 4096, 4096, 1024, 2048, 8192, 256, 2049, 768, 12288, 725, 1451, 17, 4096, 2048, 8193,
	                                 4097, 4098, 255, 3072, 1722, 1023, 132, 516};
	struct world *w = *state;

	w->matrix.variables = 2;
	w->matrix.problems = 12;
	memcpy(w->values, values, sizeof values);
	select_unlisted(w, 9, covers);
	select_row(w, (double[]){13412, 151262, 81412, 12847, 33884, 30521, 4393, 81700, 161952, 14530, 66052, 8525});
	select_row(w, (double[]){5404, 14278, 19249, 27284, 13031, 73940, 4389, 280484, 279388, 7189, 165447, 8490});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.general, 0);
		assert_int_equal(s.kind, KT_RULE_BOUNDS);
		assert_string_equal(s.when[0], "d % 4 == 0");
	}
}

/* A rule that would send a size to a variant which is slower there than the general one is narrower, or exact. */
static void no_rule_sends_a_size_where_it_is_slower(void **state)
{
	static const uint32_t covers[] = {0, 7, 7};
	struct world *w = *state;

	select_one_variable(w, 7, (int64_t[]){16, 32, 4096, 8192, 3000, 1000, 100});
	select_unlisted(w, 3, covers);
	select_row(w, (double[]){1000, 1000, 9000, 18000, 6000, 3000, 1000});
	select_row(w, (double[]){500, 500, 4500, 9000, 3000, 1500, 500});
	select_row(w, (double[]){520, 520, 3000, 6000, 4000, 1480, 520});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(select_at(w, &s, 4096, 0), 2);
		assert_int_equal(select_at(w, &s, 8192, 0), 2);
		assert_int_equal(select_at(w, &s, 3000, 0), 1);
		assert_int_equal(select_at(w, &s, 100, 0), 1);
		/* By a bound between sizes, and none by its name. */
		for (size_t k = 0; k < s.special_count; k++)
			assert_true(strstr(s.when[k], "==") == NULL || strstr(s.when[k], "3000") == NULL);
	}
}

/* A gain of 1.5 % and a loss of 3 % are no reason for a rule to begin at either of them. */
static void a_rule_begins_where_much_is_gained(void **state)
{
	static const uint32_t covers[] = {0, 7};
	struct world *w = *state;

	select_one_variable(w, 5, (int64_t[]){512, 8192, 300, 700, 1200});
	select_unlisted(w, 3, covers);
	select_row(w, (double[]){1000, 9000, 900, 1100, 1500});
	select_row(w, (double[]){985, 4500, 990, 1135, 1200});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.general, 0);
		assert_int_equal(select_at(w, &s, 8192, 0), 1);
		assert_int_equal(select_at(w, &s, 1200, 0), 1);
		assert_int_equal(select_at(w, &s, 800, 0), 0);
		assert_int_equal(select_at(w, &s, 700, 0), 0);
		assert_int_equal(select_at(w, &s, 400, 0), 0);
	}
}

/* One that does not run on odd sizes is no general one beside one that does, although that one loses on small sizes. */
static void a_general_row_runs_where_another_does(void **state)
{
	static const uint32_t covers[] = {0, 7, 0};
	struct world *w = *state;

	select_one_variable(w, 5, (int64_t[]){3211264, 25690112, 567677, 317, 1});
	select_unlisted(w, 3, covers);
	select_row(w, (double[]){14800, 83000, 6770, 4940, 4900});
	select_row(w, (double[]){9100, 34300, 6130, 5280, 5070});
	select_row(w, (double[]){9000, 34000, 0, 0, 0});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.general, 0);
		assert_int_equal(select_at(w, &s, 567677, 0), 1);
		assert_int_equal(select_at(w, &s, 317, 0), 0);
	}
}

/* A variant for one problem, which gains 3 % there, cuts the other's sizes in two: without it one bound is enough. */
static void fewer_variants_have_simpler_rules(void **state)
{
	static const uint32_t covers[] = {0, 1023, 1023};
	struct world *w = *state;

	select_one_variable(w, 13, (int64_t[]){65536, 1048576, 8388608, 393216, 257, 1, 12582912, 65535, 131101, 1482910, 32772, 4105, 16401});
	select_unlisted(w, 10, covers);
	select_row(w, (double[]){120047, 927728, 933273, 696263, 5391, 5143, 937413, 120096, 235472, 927279, 62763, 12138, 33758});
	select_row(w, (double[]){5743, 7622, 20301, 6414, 5557, 5537, 27528, 6206, 6064, 8782, 5699, 5771, 5999});
	select_row(w, (double[]){5583, 13285, 31523, 7935, 5574, 5569, 38007, 6240, 6299, 16933, 5636, 5791, 6026});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.general, 0);
		assert_int_equal(s.special_count, 1);
		assert_int_equal(select_at(w, &s, 1, 0), 0);
		assert_int_equal(select_at(w, &s, 16401, 0), 1);
		assert_int_equal(select_at(w, &s, 300000, 0), 1);
	}
}

/* A variant that is better on small sizes alone, none of which is listed, has a threshold as its rule. */
static void small_sizes_have_a_variant(void **state)
{
	static const uint32_t covers[] = {0, 15, 15};
	struct world *w = *state;

	select_one_variable(w, 6, (int64_t[]){4096, 65536, 1, 63, 255, 30001});
	select_unlisted(w, 4, covers);
	select_row(w, (double[]){4000, 64000, 4000, 4000, 4000, 30000});
	select_row(w, (double[]){2000, 30000, 3900, 3900, 3900, 15000});
	select_row(w, (double[]){2600, 50000, 2000, 2000, 2000, 25000});
	{
		const struct kt_selection s = select_chosen(w, true);

		assert_int_equal(s.general, 1);
		assert_int_equal(s.special_count, 1);
		assert_int_equal(select_at(w, &s, 1, 0), 2);
		assert_int_equal(select_at(w, &s, 17, 0), 2);
		assert_int_equal(select_at(w, &s, 4096, 0), 1);
		assert_int_equal(select_at(w, &s, 30001, 0), 1);
	}
}

/* One size that is slower by chance is no reason to keep the original on all others that no rule can tell from it. */
static void one_loss_is_not_paid_by_all(void **state)
{
	static const uint32_t covers[] = {0, 31};
	struct world *w = *state;

	select_one_variable(w, 7, (int64_t[]){4096, 65536, 1, 1025, 8191, 30001, 50001});
	select_unlisted(w, 5, covers);
	select_row(w, (double[]){4000, 64000, 2000, 3000, 8000, 30000, 50000});
	select_row(w, (double[]){2000, 30000, 1500, 1500, 8500, 15000, 25000});
	assert_int_equal(select_chosen(w, false).general, 1);
	assert_int_equal(kt_select_winner(&w->matrix, true, KT_SELECT_NO_LOSS), SIZE_MAX);
	assert_int_equal(kt_select_winner(&w->matrix, true, KT_SELECT_UNLISTED_LOSS), 1);
}

/* There was no time to measure it where it would run: its time there is not known. */
static void what_was_not_measured_is_not_general(void **state)
{
	static const uint32_t covers[] = {0, 3, 3};
	struct world *w = *state;

	select_one_variable(w, 4, (int64_t[]){4096, 65536, 1, 1025});
	select_unlisted(w, 2, covers);
	select_row(w, (double[]){4000, 64000, 2000, 3000});
	select_row(w, (double[]){1000, 16000, 0, 0});
	select_row(w, (double[]){2000, 32000, 1900, 1500});
	assert_int_equal(select_chosen(w, false).general, 2);
	/* A launch that was not timed at all says nothing about anybody. */
	w->timings[2].median_ns = w->timings[3].median_ns = 0;
	assert_int_equal(select_chosen(w, false).general, 1);
}

/* Time ended before anything but the original ran there: that says nothing about the others. */
static void the_original_alone_decides_nothing(void **state)
{
	static const uint32_t covers[] = {0, 3, 3};
	struct world *w = *state;

	select_one_variable(w, 4, (int64_t[]){4096, 65536, 1, 1025});
	select_unlisted(w, 2, covers);
	select_row(w, (double[]){4000, 64000, 2000, 3000});
	select_row(w, (double[]){1000, 16000, 0, 0});
	select_row(w, (double[]){2000, 32000, 0, 0});
	assert_int_equal(select_chosen(w, false).general, 1);
	assert_int_equal(select_chosen(w, true).general, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(the_general_one_covers_what_any_covers, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(coverage_is_not_given_up_for_speed, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(unlisted_times_decide_between_equals, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(small_sizes_keep_the_original, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(bounds_leave_out_what_loses, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(a_divisor_keeps_odd_rows_out, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(no_rule_sends_a_size_where_it_is_slower, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(a_rule_begins_where_much_is_gained, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(a_general_row_runs_where_another_does, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(fewer_variants_have_simpler_rules, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(small_sizes_have_a_variant, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(one_loss_is_not_paid_by_all, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(what_was_not_measured_is_not_general, select_setup, select_teardown),
	    cmocka_unit_test_setup_teardown(the_original_alone_decides_nothing, select_setup, select_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
