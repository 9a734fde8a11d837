#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/guard.h"

struct place {
	struct kt_arena *arena;
	char *watched, *released;
};

static int set_up(void **state)
{
	static struct place place;
	struct kt_error err;

	place.arena = kt_arena_new(1 << 16);
	assert_non_null(place.arena);
	assert_int_equal(kt_fs_temp_dir(&place.watched, place.arena, "guard", &err), KT_OK);
	assert_int_equal(kt_fs_temp_dir(&place.released, place.arena, "guard", &err), KT_OK);
	*state = &place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;
	struct kt_error err;

	assert_int_equal(kt_fs_remove_tree(place->watched, &err), KT_OK);
	assert_int_equal(kt_fs_remove_tree(place->released, &err), KT_OK);
	kt_arena_free(place->arena);
	return 0;
}

static bool gone_in_time(const char *path)
{
	for (int tries = 0; tries < 300 && kt_fs_is_dir(path); tries++) {
		struct timespec nap = {0, 10000000};

		nanosleep(&nap, NULL);
	}
	return !kt_fs_is_dir(path);
}

/* A process that watches a group and two directories, lets one of them go, and is killed. */
static void a_killed_owner_leaves_nothing(void **state)
{
	struct place *place = *state;
	int ends[2], got, status;
	pid_t owner, sleeper = 0;
	char byte;

	assert_int_equal(pipe(ends), 0);
	owner = fork();
	assert_true(owner >= 0);
	if (owner == 0) {
		sleeper = fork();
		if (sleeper == 0) {
			setpgid(0, 0);
			close(ends[0]);
			pause();
			_exit(0);
		}
		setpgid(sleeper, sleeper);
		kt_guard_directory(place->watched);
		kt_guard_directory(place->released);
		kt_guard_directory("not/absolute");
		kt_guard_release_directory(place->released);
		kt_guard_group(sleeper);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	assert_int_equal(waitpid(owner, &status, 0), owner);
	assert_true(WIFSIGNALED(status));
	/* The sleeper holds the other end: the pipe ends when it does. */
	do
		got = (int)read(ends[0], &byte, 1);
	while (got < 0 && errno == EINTR);
	assert_int_equal(got, 0);
	close(ends[0]);
	assert_true(gone_in_time(place->watched));
	assert_true(kt_fs_is_dir(place->released));
}

static void what_was_not_watched_may_be_released(void **state)
{
	(void)state;
	kt_guard_release_group(12345);
	kt_guard_release_directory("/nowhere");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_killed_owner_leaves_nothing, set_up, tear_down),
	    cmocka_unit_test(what_was_not_watched_may_be_released),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
