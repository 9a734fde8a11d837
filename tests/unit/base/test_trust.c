/* Which files of others are used: owner, permissions, links, what the user lists as safe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/trust.h"

enum { OTHER_USER = 12345 };

static struct kt_arena *arena;
static char *top;

static int set_up(void **state)
{
	struct kt_error err;

	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	if (arena == NULL || kt_fs_temp_dir(&top, arena, "kt-trust", &err) != KT_OK)
		return -1;
	top = kt_path_real(arena, top);
	kt_trust_set_safe(NULL);
	return top != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	struct kt_error err;

	(void)state;
	kt_trust_set_safe(NULL);
	if (kt_fs_remove_tree(top, &err) != KT_OK)
		return -1;
	kt_arena_free(arena);
	return 0;
}

static const char *at(const char *name)
{
	return kt_path_join(arena, top, name);
}

/* A file with its folders, all for their owner alone. */
static const char *make(const char *name)
{
	struct kt_error err;
	const char *path = at(name);

	assert_int_equal(kt_fs_mkdirs(kt_path_dirname(arena, path), &err), KT_OK);
	assert_int_equal(kt_fs_write(path, "x", 1, &err), KT_OK);
	return path;
}

static bool trusted(const char *path)
{
	const char *why = NULL;
	const bool is = kt_trust_path(&why, arena, path);

	assert_int_equal(is, why == NULL);
	if (!is)
		assert_true(strstr(why, "safe_directory=") != NULL || strstr(why, "KTUNE_SAFE_DIRECTORY=") != NULL);
	return is;
}

static void what_everybody_may_write_is_refused(void **state)
{
	const char *file = make("a/b/.ktune.conf");

	(void)state;
	assert_true(trusted(file));
	assert_int_equal(chmod(file, 0664), 0);
	assert_true(trusted(file));
	assert_int_equal(chmod(file, 0666), 0);
	assert_false(trusted(file));
	assert_int_equal(chmod(file, 0644), 0);
	assert_int_equal(chmod(at("a/b"), 01777), 0);
	assert_false(trusted(file));
	assert_int_equal(chmod(at("a/b"), 0775), 0);
	assert_true(trusted(file));
}

/* The folder like /tmp is as it has to be: what is in it has to move, or to be listed alone. */
static void what_is_below_a_shared_folder_is_told_to_move(void **state)
{
	struct kt_error err;
	const char *why = NULL, *lock = at("tmp/ktune.lock"), *file = make("tmp/.ktune.conf");

	(void)state;
	assert_int_equal(kt_fs_mkdirs(lock, &err), KT_OK);
	assert_int_equal(chmod(at("tmp"), 01777), 0);
	assert_false(kt_trust_path(&why, arena, lock));
	assert_string_equal(why, kt_arena_printf(arena, "%s can be written by every user; move %s into a folder of yours, or, to use "
	                                                "it all the same, set KTUNE_SAFE_DIRECTORY=%s",
	                                         at("tmp"), lock, lock));
	kt_trust_set_safe(lock);
	assert_true(kt_trust_path(&why, arena, lock));
	kt_trust_set_safe(NULL);
	assert_false(kt_trust_path(&why, arena, file));
	assert_non_null(strstr(why, kt_arena_printf(arena, "move %s into", file)));
}

/* Above the project's top nothing is asked; below it each folder is. */
static void the_top_is_where_version_control_is(void **state)
{
	struct kt_error err;
	const char *file = make("a/b/c/.ktune.conf");

	(void)state;
	assert_int_equal(chmod(at("a"), 0777), 0);
	assert_true(trusted(file));
	assert_int_equal(kt_fs_mkdirs(at("a/b/.git"), &err), KT_OK);
	assert_true(trusted(file));
	assert_int_equal(kt_fs_mkdirs(at(".git"), &err), KT_OK);
	assert_true(trusted(file));
	assert_int_equal(rmdir(at("a/b/.git")), 0);
	assert_false(trusted(file));
	assert_int_equal(chmod(at("a"), 0755), 0);
	assert_true(trusted(file));
}

static void what_belongs_to_another_user_is_refused(void **state)
{
	struct kt_error err;
	const char *file = make("p/ktune.lock/k/D.json");

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(kt_fs_mkdirs(at("p/.git"), &err), KT_OK);
	assert_true(trusted(file));
	for (size_t i = 0; i < 4; i++) {
		static const char *const names[] = {"p", "p/ktune.lock", "p/ktune.lock/k", "p/ktune.lock/k/D.json"};

		assert_int_equal(chown(at(names[i]), OTHER_USER, (gid_t)-1), 0);
		assert_false(trusted(file));
		/* sudo keeps the user's own checkouts theirs. */
		setenv("SUDO_UID", "12345", 1);
		assert_true(trusted(file));
		setenv("SUDO_UID", "12345x", 1);
		assert_false(trusted(file));
		unsetenv("SUDO_UID");
		assert_int_equal(chown(at(names[i]), 0, (gid_t)-1), 0);
	}
	assert_true(trusted(file));
}

static void a_link_counts_with_where_it_leads(void **state)
{
	const char *real = make("elsewhere/D.json"), *link = at("p/D.json"), *folder = at("q");

	(void)state;
	make("p/own");
	assert_int_equal(symlink(real, link), 0);
	assert_true(trusted(link));
	assert_int_equal(chmod(at("elsewhere"), 0777), 0);
	assert_false(trusted(link));
	assert_int_equal(symlink(at("elsewhere"), folder), 0);
	assert_false(trusted(kt_path_join(arena, folder, "D.json")));
	assert_int_equal(chmod(at("elsewhere"), 0755), 0);
	assert_true(trusted(link));
	if (geteuid() == 0) {
		assert_int_equal(lchown(link, OTHER_USER, (gid_t)-1), 0);
		assert_false(trusted(link));
	}
}

static void a_path_below_a_checked_folder(void **state)
{
	const char *why = NULL, *file = make("lock/k/D.json"), *lock = at("lock");

	(void)state;
	assert_true(kt_trust_below(&why, arena, lock, file));
	assert_int_equal(chmod(at("lock/k"), 0777), 0);
	assert_false(kt_trust_below(&why, arena, lock, file));
	assert_int_equal(chmod(at("lock/k"), 0755), 0);
	make("elsewhere/D.json");
	assert_int_equal(symlink(at("elsewhere/D.json"), at("lock/k/E.json")), 0);
	assert_true(kt_trust_below(&why, arena, lock, at("lock/k/E.json")));
	assert_int_equal(chmod(at("elsewhere/D.json"), 0646), 0);
	assert_false(kt_trust_below(&why, arena, lock, at("lock/k/E.json")));
}

static void what_the_user_lists_is_safe(void **state)
{
	const char *file = make("a/b/.ktune.conf");
	static const struct {
		const char *format; /* %s: the test's folder */
		bool safe;
	} rows[] = {
	    {"*", true},     {"%s", true},         {"%s/a", true},       {"/nowhere:%s/a/b", true}, {"%s/a/b/", true},
	    {"", false},     {"%s/a/bb", false},   {"%s/a/b/c", false},  {"/nowhere", false},       {":", false},
	    {"**", false},   {"%s/a/./b", true},   {"%s/a/b/../..", true},
	};

	(void)state;
	assert_int_equal(chmod(file, 0666), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *placeholder = strstr(rows[i].format, "%s");
		const char *list = placeholder == NULL
				       ? rows[i].format
				       : kt_arena_printf(arena, "%.*s%s%s", (int)(placeholder - rows[i].format),
							 rows[i].format, top, placeholder + 2);

		kt_trust_set_safe(list);
		assert_int_equal(trusted(file), rows[i].safe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(what_everybody_may_write_is_refused, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_is_below_a_shared_folder_is_told_to_move, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(the_top_is_where_version_control_is, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_belongs_to_another_user_is_refused, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_link_counts_with_where_it_leads, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_path_below_a_checked_folder, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_the_user_lists_is_safe, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
