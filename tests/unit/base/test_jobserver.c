/* GNU make's tokens: of a pipe, of a named pipe, of a make that cannot be reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jobserver.h"

static void use_two(struct kt_jobserver *server)
{
	assert_true(server->present);
	assert_true(kt_jobserver_take(server));
	assert_true(kt_jobserver_take(server));
	assert_false(kt_jobserver_take(server));
	assert_int_equal(server->held, 2);
	kt_jobserver_give(server);
	assert_true(kt_jobserver_take(server));
	kt_jobserver_close(server);
	assert_int_equal(server->held, 0);
}

static void test_pipe(void **state)
{
	struct kt_jobserver server;
	char flags[128], back[4] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "+-", 2), 2);
	snprintf(flags, sizeof flags, "k -j3 --jobserver-auth=77,78 --jobserver-auth=%d,%d -- A=b", ends[0], ends[1]);
	kt_jobserver_open(&server, flags);
	use_two(&server);
	/* What was taken is there again, and make's own descriptor still waits for a token. */
	assert_int_equal(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(read(ends[0], back, 3), 2);
	assert_true(strcmp(back, "+-") == 0 || strcmp(back, "-+") == 0);
	snprintf(flags, sizeof flags, "--jobserver-fds=%d,%d -j", ends[0], ends[1]);
	kt_jobserver_open(&server, flags);
	assert_true(server.present);
	assert_false(kt_jobserver_take(&server));
	kt_jobserver_close(&server);
	close(ends[0]);
	close(ends[1]);
}

static void test_named(void **state)
{
	struct kt_jobserver server;
	char folder[] = "/tmp/ktune-test-XXXXXX", path[64], flags[128];
	int end;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	end = open(path, O_RDWR);
	assert_int_equal(write(end, "++", 2), 2);
	snprintf(flags, sizeof flags, " -j3 --jobserver-auth=fifo:%s", path);
	kt_jobserver_open(&server, flags);
	use_two(&server);
	close(end);
	unlink(path);
	rmdir(folder);
}

/* Without `+` make closes its pipe, and the numbers may be those of other pipes: what is in them is not taken. */
static void test_others(void **state)
{
	struct kt_jobserver server;
	char flags[128], back[8] = "";
	int one[2], two[2];

	(void)state;
	assert_int_equal(pipe(one), 0);
	assert_int_equal(pipe(two), 0);
	assert_int_equal(write(one[1], "data", 4), 4);
	snprintf(flags, sizeof flags, " -j4 --jobserver-auth=%d,%d", one[0], two[1]);
	kt_jobserver_open(&server, flags);
	assert_true(server.present);
	assert_false(kt_jobserver_take(&server));
	kt_jobserver_close(&server);
	/* The ends of one pipe, but not as make gives them. */
	snprintf(flags, sizeof flags, " -j4 --jobserver-auth=%d,%d", one[1], one[0]);
	kt_jobserver_open(&server, flags);
	assert_false(kt_jobserver_take(&server));
	kt_jobserver_close(&server);
	assert_int_equal(read(one[0], back, sizeof back), 4);
	assert_string_equal(back, "data");
	/* A variable's value, not an option. */
	assert_int_equal(write(one[1], "data", 4), 4);
	snprintf(flags, sizeof flags, "k -- FLAGS=a\\ --jobserver-auth=%d,%d", one[0], one[1]);
	kt_jobserver_open(&server, flags);
	assert_false(server.present);
	kt_jobserver_close(&server);
	for (int i = 0; i < 2; i++) {
		close(one[i]);
		close(two[i]);
	}
}

static void test_none(void **state)
{
	static const char *const absent[] = {NULL, "", "k -j4", "--no-jobserver-auth=3,4"};
	static const char *const closed[] = {"--jobserver-auth=-2,-2", "--jobserver-auth=0,900", "--jobserver-auth=x",
	                                     "--jobserver-auth=fifo:/absent/fifo", "--jobserver-auth=fifo:/dev/null"};
	struct kt_jobserver server;

	(void)state;
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
		kt_jobserver_open(&server, absent[i]);
		assert_false(server.present);
		for (size_t k = 0; k < 2 * KT_JOBSERVER_TOKENS; k++)
			assert_true(kt_jobserver_take(&server));
		kt_jobserver_close(&server);
	}
	for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
		kt_jobserver_open(&server, closed[i]);
		assert_true(server.present);
		assert_false(kt_jobserver_take(&server));
		kt_jobserver_close(&server);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pipe),
	    cmocka_unit_test(test_named),
	    cmocka_unit_test(test_others),
	    cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
