/* Why the rules decline: each reason has a fix in plain words, which is left out where the detail has its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/decline.h"

static void test_rows(void **state)
{
	(void)state;
	for (int i = 1; i < KT_DECLINE_COUNT; i++) {
		const char *name = kt_decline_name((enum kt_decline)i), *fix = kt_decline_fix(name, "a cause");

		assert_int_equal(kt_decline_from_name(name), i);
		if (fix[0] == '\0' || fix[strlen(fix) - 1] == '.' || strstr(fix, "; ") == fix)
			fail_msg("%s: no fix that can follow a cause: '%s'", name, fix);
		/* Fixes are given for OpenCL as well. */
		if (strstr(fix, "threadIdx") != NULL || strstr(fix, "__") != NULL || strstr(fix, "<<<") != NULL)
			fail_msg("%s: words of CUDA: '%s'", name, fix);
		for (int k = 1; k < i; k++)
			if (strcmp(name, kt_decline_name((enum kt_decline)k)) == 0)
				fail_msg("%s: two rows", name);
	}
}

static void test_fixes(void **state)
{
	(void)state;
	assert_string_equal(kt_decline_fix("hidden-name", "'i' hides another; rename it"), "");
	assert_string_equal(kt_decline_fix("hidden-name", ""), kt_decline_fix("hidden-name", "'i' hides another"));
	assert_string_equal(kt_decline_fix("of-a-newer-program", "a cause"), "");
	assert_int_equal(kt_decline_from_name("none"), KT_DECLINE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_fixes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
