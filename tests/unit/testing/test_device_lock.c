/* One measurement on a device at a time: against other processes, links, and those who ask again at once. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "testing/device_lock.h"

struct fixture {
	struct kt_arena *arena;
	char uuid[64], path[128];
	struct kt_error err;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = kt_arena_new(1 << 20);
	/* A device that nobody has. */
	snprintf(f->uuid, sizeof f->uuid, "GPU-test-%ld-%ld", (long)getpid(), (long)time(NULL));
	snprintf(f->path, sizeof f->path, "/tmp/ktune-gpu-%s.lock", f->uuid);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	(void)unlink(f->path);
	kt_arena_free(f->arena);
	free(f);
	return 0;
}

static struct kt_device_lock *open_lock(struct fixture *f)
{
	struct kt_device_lock *lock = NULL;

	if (kt_device_lock_open(&lock, f->arena, f->uuid, &f->err) != KT_OK)
		fail_msg("%s", f->err.message);
	return lock;
}

static void two_do_not_hold_it_together(void **state)
{
	struct fixture *f = *state;
	struct kt_device_lock *first = open_lock(f), *second = open_lock(f);

	assert_string_equal(kt_device_lock_path(first), f->path);
	assert_int_equal(kt_device_lock_take(first, 1, &f->err), KT_OK);
	const double begin_s = kt_now_s();
	assert_int_equal(kt_device_lock_take(second, 0.1, &f->err), KT_ERR_BUSY);
	assert_true(kt_now_s() - begin_s >= 0.1 && kt_now_s() - begin_s < 5);
	assert_non_null(strstr(f->err.message, "another process"));
	kt_device_lock_release(first);
	assert_int_equal(kt_device_lock_take(second, 1, &f->err), KT_OK);
	kt_device_lock_release(second);
	kt_device_lock_close(first);
	kt_device_lock_close(second);
}

/* Who holds it sees that another process waits for it, and no longer when that one has it. */
static void whether_it_is_wanted(void **state)
{
	struct fixture *f = *state;
	struct kt_device_lock *lock = open_lock(f);
	int status = -1;

	assert_int_equal(kt_device_lock_take(lock, 1, &f->err), KT_OK);
	assert_false(kt_device_lock_is_wanted(lock));
	const pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct kt_device_lock *own = open_lock(f);

		_exit(kt_device_lock_take(own, 10, &f->err) == KT_OK ? 0 : 1);
	}
	const double until_s = kt_now_s() + 10;

	while (!kt_device_lock_is_wanted(lock) && kt_now_s() < until_s)
		(void)nanosleep(&(struct timespec){0, 1000000}, NULL);
	assert_true(kt_device_lock_is_wanted(lock));
	kt_device_lock_release(lock);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(kt_device_lock_take(lock, 1, &f->err), KT_OK);
	assert_false(kt_device_lock_is_wanted(lock));
	kt_device_lock_close(lock);
}

static void other_users_may_open_it(void **state)
{
	struct fixture *f = *state;
	struct stat info;
	const mode_t before = umask(077);
	struct kt_device_lock *lock = open_lock(f);

	umask(before);
	assert_int_equal(stat(f->path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0666);
	assert_int_equal(info.st_size, 0);
	kt_device_lock_close(lock);
}

/* Somebody else's link in the shared folder: its target is neither made nor opened. */
static void a_link_is_not_followed(void **state)
{
	struct fixture *f = *state;
	char target[160], folder[] = "/tmp/kt-lock-XXXXXX";
	struct kt_device_lock *lock = NULL;

	assert_non_null(mkdtemp(folder));
	snprintf(target, sizeof target, "%s/target", folder);
	assert_int_equal(symlink(target, f->path), 0);
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	assert_int_not_equal(kt_device_lock_open(&lock, f->arena, f->uuid, &f->err), KT_OK);
	assert_int_not_equal(access(target, F_OK), 0);
	/* The user's own folder is the way out. */
	assert_int_equal(setenv("XDG_RUNTIME_DIR", folder, 1), 0);
	assert_int_equal(kt_device_lock_open(&lock, f->arena, f->uuid, &f->err), KT_OK);
	assert_int_equal(strncmp(kt_device_lock_path(lock), folder, strlen(folder)), 0);
	kt_device_lock_close(lock);
	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	assert_int_equal(kt_fs_remove_tree(folder, &f->err), KT_OK);
}

static void what_is_no_file_or_no_uuid(void **state)
{
	struct fixture *f = *state;
	struct kt_device_lock *lock = NULL;

	assert_int_equal(unsetenv("XDG_RUNTIME_DIR"), 0);
	assert_int_equal(mkfifo(f->path, 0666), 0);
	assert_int_not_equal(kt_device_lock_open(&lock, f->arena, f->uuid, &f->err), KT_OK);
	assert_int_equal(kt_device_lock_open(&lock, f->arena, "../../etc/passwd", &f->err), KT_ERR_INVALID);
	assert_int_equal(kt_device_lock_open(&lock, f->arena, "", &f->err), KT_ERR_INVALID);
	assert_int_equal(kt_device_lock_open(&lock, f->arena, NULL, &f->err), KT_ERR_INVALID);
}

/* A holder that is killed holds nothing. */
static void a_dead_holder(void **state)
{
	struct fixture *f = *state;
	const pid_t child = fork();

	if (child == 0) {
		struct kt_device_lock *lock = NULL;
		struct kt_error err;

		_exit(kt_device_lock_open(&lock, f->arena, f->uuid, &err) == KT_OK &&
		              kt_device_lock_take(lock, 1, &err) == KT_OK
		          ? 0
		          : 1);
	}
	int status = -1;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	struct kt_device_lock *lock = open_lock(f);
	assert_int_equal(kt_device_lock_take(lock, 0.5, &f->err), KT_OK);
	kt_device_lock_close(lock);
}

/* A process that measures all the time lets another one in between two of its measurements. */
static void who_waits_is_next(void **state)
{
	struct fixture *f = *state;
	struct kt_device_lock *mine = open_lock(f);
	const struct timespec measurement = {0, 5000000};
	double waited_s = 0;
	int turns = 0, status = -1;
	const pid_t child = fork();

	if (child == 0) {
		struct kt_device_lock *lock = NULL;
		struct kt_error err;

		if (kt_device_lock_open(&lock, f->arena, f->uuid, &err) != KT_OK)
			_exit(1);
		for (int i = 0; i < 200; i++) {
			if (kt_device_lock_take(lock, 5, &err) != KT_OK)
				_exit(1);
			nanosleep(&measurement, NULL);
			kt_device_lock_release(lock);
		}
		_exit(0);
	}
	for (; turns < 20; turns++) {
		const double begin_s = kt_now_s();

		assert_int_equal(kt_device_lock_take(mine, 5, &f->err), KT_OK);
		waited_s += kt_now_s() - begin_s;
		kt_device_lock_release(mine);
		nanosleep(&measurement, NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	/* Without a queue it would wait for all 200. */
	assert_true(waited_s < 0.8);
	kt_device_lock_close(mine);
}

enum { WAITERS = 6 };

/* Waits in a process of its own, and says so when it has the device; killed says: it is to be ended while it waits. */
static pid_t start_waiter(struct fixture *f, int out, char name)
{
	const pid_t child = fork();

	if (child == 0) {
		struct kt_device_lock *lock = NULL;
		struct kt_error err;

		if (kt_device_lock_open(&lock, f->arena, f->uuid, &err) != KT_OK ||
		    kt_device_lock_take(lock, 20, &err) != KT_OK || write(out, &name, 1) != 1)
			_exit(1);
		kt_device_lock_release(lock);
		_exit(0);
	}
	return child;
}

/* Those who wait have it in the order in which they came; one that dies while it waits keeps nobody. */
static void in_the_order_of_asking(void **state)
{
	struct fixture *f = *state;
	struct kt_device_lock *mine = open_lock(f);
	const struct timespec between = {0, 60000000};
	char order[WAITERS + 1] = "";
	pid_t children[WAITERS];
	int ends[2], status = -1;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(kt_device_lock_take(mine, 1, &f->err), KT_OK);
	for (int i = 0; i < WAITERS; i++) {
		children[i] = start_waiter(f, ends[1], (char)('a' + i));
		nanosleep(&between, NULL);
	}
	assert_int_equal(kill(children[2], SIGKILL), 0);
	kt_device_lock_release(mine);
	for (int i = 0; i < WAITERS; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(i == 2 || status == 0);
	}
	assert_int_equal(read(ends[0], order, WAITERS), WAITERS - 1);
	assert_string_equal(order, "abdef");
	close(ends[0]);
	close(ends[1]);
	kt_device_lock_close(mine);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(two_do_not_hold_it_together), TEST(whether_it_is_wanted), TEST(other_users_may_open_it), TEST(a_link_is_not_followed),
	    TEST(what_is_no_file_or_no_uuid), TEST(a_dead_holder), TEST(who_waits_is_next),
	    TEST(in_the_order_of_asking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
