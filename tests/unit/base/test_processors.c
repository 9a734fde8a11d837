/* Processors by the limits of control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/processors.h"

static struct kt_arena *arena;
static char *mount;
static struct kt_error err;

static void write(const char *path, const char *text)
{
	char *file = kt_path_join(arena, mount, path);

	assert_int_equal(kt_fs_mkdirs(kt_path_dirname(arena, file), &err), KT_OK);
	assert_int_equal(kt_fs_write(file, text, strlen(text), &err), KT_OK);
}

static void limits(void **state)
{
	static const struct {
		const char *groups;
		int64_t allowed, processors;
	} rows[] = {
	    {"", 8, 8},
	    {"", 0, 1},
	    {"no group at all\n0\n", 8, 8},
	    {"0::/free\n", 8, 8},
	    {"0::/half\n", 8, 2},
	    {"0::/half\n", 1, 1},
	    {"0::/half/inner\n", 8, 2},
	    {"0::/narrow/wide\n", 8, 1},
	    {"0::/nowhere\n", 8, 8},
	    {"3:memory:/old\n4:cpu,cpuacct:/old\n", 8, 3},
	    {"4:cpuacct,cpu:/old\n", 8, 3},
	    {"4:cpuset:/old\n", 8, 8},
	    {"4:cpu:/unlimited\n0::/half\n", 8, 2},
	};

	(void)state;
	write("free/cpu.max", "max 100000\n");
	write("half/cpu.max", "150000 100000\n");
	write("half/inner/cpu.max", "max 100000\n");
	write("narrow/cpu.max", "10000 100000\n");
	write("narrow/wide/cpu.max", "800000 100000\n");
	write("cpu/old/cpu.cfs_quota_us", "300000\n");
	write("cpu/old/cpu.cfs_period_us", "100000\n");
	write("cpu/unlimited/cpu.cfs_quota_us", "-1\n");
	write("cpu/unlimited/cpu.cfs_period_us", "100000\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (kt_processors_within(mount, rows[i].groups, rows[i].allowed) != rows[i].processors)
			fail_msg("%s: %d", rows[i].groups,
				 (int)kt_processors_within(mount, rows[i].groups, rows[i].allowed));
	assert_true(kt_processors() >= 1);
}

/* In a container the path is the host's, and the files are at the mount. */
static void at_the_mount(void **state)
{
	(void)state;
	write("cpu.max", "400000 100000\n");
	assert_int_equal(kt_processors_within(mount, "0::/system.slice/docker-1.scope\n", 64), 4);
	assert_int_equal(kt_processors_within(mount, "0::/\n", 64), 4);
}

static int open_mount(void **state)
{
	(void)state;
	arena = kt_arena_new((size_t)1 << 20);
	return kt_fs_temp_dir(&mount, arena, "ktune-cgroup", &err) != KT_OK;
}

static int close_mount(void **state)
{
	(void)state;
	const bool failed = kt_fs_remove_tree(mount, &err) != KT_OK;

	kt_arena_free(arena);
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(at_the_mount)};

	return cmocka_run_group_tests(tests, open_mount, close_mount);
}
