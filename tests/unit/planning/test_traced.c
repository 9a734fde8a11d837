/* What a program printed with KTUNE_TRACE=1, read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planning/traced.h"

static const char *names[] = {"rows", "d"};
static const struct kt_region region = {.name = "ns::silu", .variable_count = 2, .variables = names};

static kt_status read_text(struct kt_traced *out, const struct kt_region *of, const char *text, struct kt_error *err)
{
	char path[] = "/tmp/ktune-traced-XXXXXX";
	const int file = mkstemp(path);
	kt_status status;

	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
	status = kt_traced_read(out, path, of, err);
	unlink(path);
	return status;
}

static void most_launches_first(void **state)
{
	static const char text[] =
	    "loading the model\n"
	    "ktune: ns::silu variant=3 original=7 (guard=7 geometry=0 device=0 architecture=0 problem=0 error=0) on device 0: X\n"
	    "ktune: ns::silu rows=37 d=1003: the original ran 2 times: this guard does not hold: d % 8 == 0\n"
	    "ktune: ns::silu rows=1 d=77: the original ran 1 time: no variant is for it\n"
	    "ktune: other rows=5 d=5: the original ran 9 times: no variant is for it\n"
	    "ktune: ns::silu rows=9 d=8: the original ran 3 times: no variant is for it\r\n"
	    "ktune: ns::silu rows=37 d=1003: the original ran 2 times: no variant is for it\n"
	    "ktune: ns::silu rows=6 d=6: launched 90 times, gain 2.00: variant 5.00 us, original 10.00 us (medians of 8 and 8; VEC=8)\n"
	    "ktune: ns::silu rows=7 d=7: launched 90 times, 1 and 2 of them timed: too few to compare\n"
	    "ktune: ns::silu rows=8 d=8: launched 30 times, gain 0.50: variant 10.00 us, original 5.00 us (medians of 8 and 7; VEC=8): "
	    "the variant is slower\r\n"
	    "ktune: ns::silu: to tune for this size, add to its pragma: problem((rows, d) = (37, 1003))";
	struct kt_traced traced;
	struct kt_error err;

	(void)state;
	assert_int_equal(read_text(&traced, &region, text, &err), KT_OK);
	assert_int_equal(traced.count, 4);
	assert_true(traced.sizes[0].values[0] == 8 && traced.sizes[0].values[1] == 8 && traced.sizes[0].launches > 29.5);
	assert_true(traced.sizes[1].values[0] == 37 && traced.sizes[1].values[1] == 1003 && traced.sizes[1].launches > 3.5);
	assert_true(traced.sizes[2].values[0] == 9 && traced.sizes[2].values[1] == 8);
	assert_true(traced.sizes[3].values[0] == 1 && traced.sizes[3].values[1] == 77);
}

/* Lines that say something else, whole or in part, are no sizes. */
static void what_is_no_size(void **state)
{
	static const char *const lines[] = {
	    "", "ktune: ", "ktune: ns::silu", "ktune: ns::silu rows=", "ktune: ns::silu rows=3", "ktune: ns::silu rows=3 d=",
	    "ktune: ns::silu rows=3 d=4", "ktune: ns::silu rows=3 d=4:", "ktune: ns::silu rows=3 d=4: the original ran",
	    "ktune: ns::silu rows=3 d=4: the original ran x times", "ktune: ns::silu rows=3 d=4: the original ran 3",
	    "ktune: ns::silu d=4 rows=3: the original ran 3 times: x", "ktune: ns::silu rows=0 d=4: the original ran 3 times: x",
	    "ktune: ns::silu rows=-1 d=4: the original ran 3 times: x",
	    "ktune: ns::silu rows=99999999999999999999 d=4: the original ran 3 times: x",
	    "ktune: ns::silu rows=3 d=4 n=5: the original ran 3 times: x", "ktune: ns::silu_ rows=3 d=4: the original ran 3 times: x",
	    "ktune: silu rows=3 d=4: the original ran 3 times: x", " ktune: ns::silu rows=3 d=4: the original ran 3 times: x"};
	struct kt_traced traced;
	struct kt_error err;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		assert_int_equal(read_text(&traced, &region, lines[i], &err), KT_OK);
		if (traced.count != 0)
			fail_msg("%s", lines[i]);
	}
	assert_int_equal(kt_traced_read(&traced, "/nowhere/at/all", &region, &err), KT_ERR_MISSING);
	assert_non_null(strstr(err.message, "/nowhere/at/all"));
}

static void many_are_cut(void **state)
{
	const size_t room = 200 * 100;
	char *text = malloc(room);
	size_t length = 0;
	struct kt_traced traced;
	struct kt_error err;

	(void)state;
	assert_non_null(text);
	for (int i = 1; i <= 200; i++)
		length += (size_t)snprintf(text + length, room - length, "ktune: ns::silu rows=%d d=4: the original ran %d times: x\n", i, i);
	assert_int_equal(read_text(&traced, &region, text, &err), KT_OK);
	assert_int_equal(traced.count, KT_TRACED_MOST);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(most_launches_first),
	    cmocka_unit_test(what_is_no_size),
	    cmocka_unit_test(many_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
