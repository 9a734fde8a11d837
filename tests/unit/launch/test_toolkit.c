/* The release that nvcc prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "launch/toolkit.h"

static void test_release(void **state)
{
	static const char *const bad[] = {"",          "V13.0.88",    "release 13.0, V",    "release 13.0, V13",
	                                  "x, V13.0.", "x, V13.-1.2", "x, V9999999999.0.1", "x, V13,0,88"};
	struct kt_release release = {0};

	(void)state;
	assert_true(kt_release_read(&release, "Copyright (c)\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n"));
	assert_int_equal(release.major, 13);
	assert_int_equal(release.minor, 0);
	assert_int_equal(release.build, 88);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(kt_release_read(&release, bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_release)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
