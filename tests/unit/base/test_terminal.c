/* The pseudo-terminal in place of a pipe: bytes as they are, the size of the other one, an end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/terminal.h"

static void test_bytes(void **state)
{
	static const char text[] = "a\nb\r\n\x03\x04\x1a\t\xff";
	struct winsize wanted = {.ws_row = 7, .ws_col = 33}, size = {0};
	int like[2], ends[2];
	char got[64];
	ssize_t count;

	(void)state;
	assert_int_equal(kt_terminal_pipe(like, -1), 0);
	assert_int_equal(ioctl(like[1], TIOCSWINSZ, &wanted), 0);
	assert_int_equal(kt_terminal_pipe(ends, like[1]), 0);
	assert_int_equal(isatty(ends[1]), 1);
	assert_int_equal(ioctl(ends[1], TIOCGWINSZ, &size), 0);
	assert_int_equal(size.ws_row, 7);
	assert_int_equal(size.ws_col, 33);
	assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
	close(ends[1]);
	count = read(ends[0], got, sizeof got);
	assert_int_equal(count, sizeof text - 1);
	assert_memory_equal(got, text, sizeof text - 1);
	assert_int_equal(read(ends[0], got, sizeof got), -1);
	assert_int_equal(errno, EIO);
	close(ends[0]);
	close(like[0]);
	close(like[1]);
}

/* A child sees a terminal on stderr alone, and all that it writes arrives. */
static void test_child(void **state)
{
	static char script[] =
	    "test -t 2 && ! test -t 1 && i=0 && while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i + 1)); done";
	char *argv[] = {"/bin/sh", "-c", script, NULL};
	struct kt_proc_options options = {.terminal_errors = true};
	struct kt_buf out = KT_BUF(1000), errors = KT_BUF(1 << 20);
	struct kt_proc_result result;
	struct kt_error error;

	(void)state;
	assert_int_equal(kt_proc_run(&result, argv, &options, &out, &errors, &error), KT_OK);
	assert_int_equal(result.code, 0);
	assert_int_equal(out.size, 0);
	assert_int_equal(errors.size, 10 * 7 + 90 * 8 + 900 * 9 + 2000 * 10);
	assert_non_null(strstr(kt_buf_text(&errors), "line 2999\n"));
	assert_null(strchr(kt_buf_text(&errors), '\r'));
	kt_buf_free(&out);
	kt_buf_free(&errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_child)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
