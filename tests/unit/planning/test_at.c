/* Sizes that a user asks about, in files whose regions have different variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "planning/at.h"

static const char *rows_names[] = {"rows", "d"}, *flat_names[] = {"n"};
static const struct kt_entry rows = {.variable_count = 2, .variables = rows_names};
static const struct kt_entry flat = {.variable_count = 1, .variables = flat_names};

static void each_entry_takes_its_own(void **state)
{
	struct kt_at_sizes sizes = {.text = "d=3, rows=7,n=9"};
	struct kt_error err;
	const char *missing;
	int64_t values[2];

	(void)state;
	assert_int_equal(kt_at_values(values, &missing, &sizes, &rows, &err), KT_OK);
	assert_null(missing);
	assert_true(values[0] == 7 && values[1] == 3);
	assert_int_equal(kt_at_understood(&sizes, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "'n=9' is no NAME=VALUE"));
	assert_int_equal(kt_at_values(values, &missing, &sizes, &flat, &err), KT_OK);
	assert_true(missing == NULL && values[0] == 9);
	assert_int_equal(kt_at_understood(&sizes, &err), KT_OK);
}

static void an_entry_may_be_left_out(void **state)
{
	struct kt_at_sizes sizes = {.text = "rows=7,d=3"};
	struct kt_error err;
	const char *missing;
	int64_t values[2];

	(void)state;
	assert_int_equal(kt_at_values(values, &missing, &sizes, &flat, &err), KT_OK);
	assert_string_equal(missing, "n");
	assert_int_equal(kt_at_values(values, &missing, &sizes, &rows, &err), KT_OK);
	assert_int_equal(kt_at_understood(&sizes, &err), KT_OK);
}

static void what_is_wrong_is_named(void **state)
{
	static const struct {
		const char *text, *said;
	} cases[] = {{"rows=7", "has no value for d"},
	             {"rows=7,d=0", "'d=0' has no whole number above 0"},
	             {"rows=7,d=-3", "'d=-3' has no"},
	             {"rows=7,d=3x", "'d=3x' has no"},
	             {"rows=7,d=", "'d=' has no"},
	             {"rows=7,d", "'d' is no NAME=VALUE"},
	             {"", "has no value for rows"},
	             {"rows=7,d=3,row=4", "'row=4' is no NAME=VALUE"},
	             {"=3", "'=3' is no NAME=VALUE"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kt_at_sizes sizes = {.text = cases[i].text};
		struct kt_error err;
		const char *missing;
		int64_t values[2];
		kt_status status = kt_at_values(values, &missing, &sizes, &rows, &err);

		if (status == KT_OK)
			status = kt_at_understood(&sizes, &err);
		assert_int_equal(status, KT_ERR_INVALID);
		if (strstr(err.message, cases[i].said) == NULL)
			fail_msg("%s: %s", cases[i].text, err.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_entry_takes_its_own),
	    cmocka_unit_test(an_entry_may_be_left_out),
	    cmocka_unit_test(what_is_wrong_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
