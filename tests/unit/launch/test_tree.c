/* Which build a compile command belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/tree.h"

static struct kt_arena *arena;
static char *top;

static int open_folders(void **state)
{
	struct kt_error err;

	(void)state;
	arena = kt_arena_new(1 << 20);
	assert_int_equal(kt_fs_temp_dir(&top, arena, "kt-tree", &err), KT_OK);
	assert_int_equal(kt_fs_mkdirs(kt_path_join(arena, top, "build/CMakeFiles/a.dir"), &err), KT_OK);
	return 0;
}

static int close_folders(void **state)
{
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_fs_remove_tree(top, &err), KT_OK);
	kt_arena_free(arena);
	return 0;
}

static void put(const char *name, const char *text)
{
	struct kt_error err;

	assert_int_equal(kt_fs_write(kt_path_join(arena, top, name), text, strlen(text), &err), KT_OK);
}

static struct kt_tree find(const char *output)
{
	struct kt_tree tree;

	assert_true(kt_tree_find(&tree, arena, kt_path_join(arena, top, output)));
	return tree;
}

static void a_make_is_its_folder_and_group(void **state)
{
	struct kt_tree one = find("build/a.o"), other = find("b.o");

	(void)state;
	assert_null(one.folder);
	assert_false(one.has_target);
	/* Two objects of one make are one build, wherever they are put. */
	assert_string_equal(one.name, other.name);
	assert_non_null(strstr(one.name, getcwd((char[4096]){0}, 4096)));
}

static void the_nearest_marked_folder_is_the_tree(void **state)
{
	struct kt_tree one, other;

	(void)state;
	put("build.ninja", "");
	one = find("build/CMakeFiles/a.dir/a.o");
	assert_string_equal(one.folder, top);
	put("build/.ninja_log", "");
	other = find("build/CMakeFiles/a.dir/a.o");
	assert_string_equal(other.folder, kt_path_join(arena, top, "build"));
	assert_string_not_equal(one.name, other.name);
	assert_false(other.has_target);
}

static void the_target_is_there_with_the_package(void **state)
{
	(void)state;
	put("build/CMakeCache.txt", "# x\nKTune_DIR:PATH=KTune_DIR-NOTFOUND\n");
	assert_false(find("build/a.o").has_target);
	put("build/CMakeCache.txt", "# x\nKTune_DIR:PATH=/opt/ktcc/lib/cmake/KTune\n");
	assert_true(find("build/a.o").has_target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_make_is_its_folder_and_group, open_folders, close_folders),
	    cmocka_unit_test_setup_teardown(the_nearest_marked_folder_is_the_tree, open_folders, close_folders),
	    cmocka_unit_test_setup_teardown(the_target_is_there_with_the_package, open_folders, close_folders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
