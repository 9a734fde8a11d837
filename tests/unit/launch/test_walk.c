/* The textual walk: what it reaches, what it remembers, and that a bad memo changes nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/walk.h"

static struct kt_arena *arena;
static struct kt_error error;
static char scratch[64];

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(scratch, sizeof scratch, "/tmp/ktcc-walk-XXXXXX");
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	return arena == NULL || mkdtemp(scratch) == NULL || chdir(scratch) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return chdir("/") != 0 || kt_fs_remove_tree(scratch, &error) != KT_OK;
}

/* Writes a file that is old enough for the memo. */
static void put(const char *name, const char *text)
{
	struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
	char *directory = kt_path_dirname(arena, name);

	assert_int_equal(kt_fs_mkdirs(directory, &error), KT_OK);
	assert_int_equal(kt_fs_write(name, text, strlen(text), &error), KT_OK);
	assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
}

static struct kt_walk walk_with(const char *option, const char *cache)
{
	char *argv[] = {"nvcc", "-c", "k.cu", kt_arena_strdup(arena, option), NULL};
	struct kt_command *command;
	struct kt_walk walk;
	bool found;

	assert_int_equal(kt_command_parse(&command, arena, option[0] == '\0' ? 3 : 4, argv, &error), KT_OK);
	assert_int_equal(kt_walk(&walk, arena, command, cache, &error), KT_OK);
	/* The short way has the same answer. */
	assert_int_equal(kt_walk_finds(&found, arena, command, cache, &error), KT_OK);
	assert_int_equal(found, walk.found);
	return walk;
}

static const struct kt_walk_file *file(const struct kt_walk *walk, const char *path)
{
	for (size_t i = 0; i < walk->file_count; i++)
		if (strcmp(walk->files[i].path, path) == 0)
			return &walk->files[i];
	return NULL;
}

static bool absent(const struct kt_walk *walk, const char *path)
{
	for (size_t i = 0; i < walk->absent_count; i++)
		if (strcmp(walk->absent[i], path) == 0)
			return true;
	return false;
}

static void test_reach(void **state)
{
	static const struct {
		const char *text, *option;
		bool found, computed;
	} rows[] = {
	    {"#pragma ktune", "", true, false},
	    {"void f();", "", false, false},
	    {"// ktune", "", true, false},
	    {"", "", false, false},
	    {"#include \"sub/hot.h\"", "", true, false},
	    {"#include <hot.h>", "", false, false},
	    {"#include <hot.h>", "-Isub", true, false},
	    {"#include \"hot.h\"", "-Isub", true, false},
	    {"#include <hot.h>", "-isystem=sub", true, false},
	    {"#include \"hot.h\"", "-isystem=sub", true, false},
	    {"#include <hot.h>", "-isystem=venv/site-packages/sub", false, false},
	    {"#include \"hot.h\"", "-Xcompiler=-iquote,sub", true, false},
	    {"#include <hot.h>", "-Xcompiler=-iquote,sub", false, false},
	    {"#include \"via.h\"", "", true, false},
	    {"#include \"loop.h\"", "", false, false},
	    {"  #  include\t\"sub/hot.h\"", "", true, false},
	    {"# /* a */ include /* b */ \"sub/hot.h\"", "", true, false},
	    {"#\\\ninclude \\\r\n \"sub/hot.h\"", "", true, false},
	    {"#import \"sub/hot.h\"", "", true, false},
	    {"%:include \"sub/hot.h\"", "", true, false},
	    {" %: include <hot.h>", "-Isub", true, false},
	    {"\?\?=include \"sub/hot.h\"", "", true, false},
	    {"#inc\\\nlu\\\r\nde \"sub/hot.h\"", "", true, false},
	    {"#include \"sub/\\ \t\nhot.h\"", "", true, false},
	    {"#inclu\\", "", false, false},
	    {"%", "", false, false},
	    {"%:include HEADER", "", false, true},
	    {"#include_next <hot.h>", "-Icold,sub", true, false},
	    {"#include <hot.h>", "-Icold,sub", false, false},
	    {"#if __has_include(\"sub/hot.h\")", "", true, false},
	    {"#if __has_include ( /* a */ <hot.h>)", "-Isub", true, false},
	    {"#if defined(X) && __has_include__(<hot.h>)", "-Isub", true, false},
	    {"#if __has_include_next(<hot.h>)", "-Icold,sub", true, false},
	    {"#if __has_include(<hot.h>)", "-Icold,sub", false, false},
	    {"#if PROJECT_HAS_INCLUDE(\"sub/hot.h\")", "", true, false},
	    {"#if __has_include(HEADER)", "", false, false},
	    {"#if __has_include(\"sub/hot.h)", "", false, false},
	    {"#if __has_include(", "", false, false},
	    {"#include \"sub/hot.h", "", false, false},
	    {"#include \"sub/hot.h\n\"", "", false, false},
	    {"#include", "", false, false},
	    {"#include HEADER", "", false, true},
	    {"#", "", false, false},
	    {"#include /*", "", false, false},
	    {"#include \"\"", "", false, false},
	    {"#include \"sub\"", "", false, false},
	    {"int x;", "-include=sub/hot.h", true, false},
	    {"int x;", "-include=hot.h", false, false},
	};

	(void)state;
	put("sub/hot.h", "#pragma ktune");
	put("cold/hot.h", "int cold;");
	put("venv/site-packages/sub/hot.h", "#pragma ktune");
	put("via.h", "#include \"sub/near.h\"\n");
	put("sub/near.h", "#include \"hot.h\"\n");
	put("loop.h", "#include \"loop.h\"\n#include \"k.cu\"\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		/* Without a memo, with an empty one, and from what it remembers. */
		put("k.cu", rows[i].text);
		for (unsigned pass = 0; pass < 3; pass++) {
			char *cache = kt_arena_printf(arena, "cache%zu", i);
			struct kt_walk walk = walk_with(rows[i].option, pass == 0 ? NULL : cache);

			if (walk.found != rows[i].found || walk.computed_include != rows[i].computed || !walk.complete)
				fail_msg("'%s' with '%s', pass %u", rows[i].text, rows[i].option, pass);
			assert_string_equal(walk.files[0].path, "k.cu");
		}
	}
}

/* What the host compiler's environment adds stands behind the command's own folders. */
static void test_environment(void **state)
{
	static const struct {
		const char *name, *value, *option;
		bool found;
	} rows[] = {
	    {"CPATH", "sub", "", true},
	    {"CPATH", "cold:sub", "", false},
	    {"CPATH", "none:sub", "", true},
	    {"CPATH", "sub", "-Icold", false},
	    {"CPATH", "", "", false},
	    {"CPLUS_INCLUDE_PATH", "sub", "", true},
	    {"CPLUS_INCLUDE_PATH", "none::cold", "", true},
	    {"CPLUS_INCLUDE_PATH", "none:", "", true},
	    {"CPLUS_INCLUDE_PATH", "cold", "", false},
	    {"C_INCLUDE_PATH", "sub", "", false},
	};

	(void)state;
	put("k.cu", "#include <hot.h>\n");
	put("sub/hot.h", "#pragma ktune");
	put("cold/hot.h", "int cold;");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		/* An empty folder of a list is the working one. */
		if (strncmp(rows[i].value, "none:", 5) == 0 && strcmp(rows[i].value, "none:sub") != 0)
			put("hot.h", "#pragma ktune");
		assert_int_equal(setenv(rows[i].name, rows[i].value, 1), 0);
		if (walk_with(rows[i].option, NULL).found != rows[i].found)
			fail_msg("%s=%s with '%s'", rows[i].name, rows[i].value, rows[i].option);
		assert_int_equal(unsetenv(rows[i].name), 0);
		(void)unlink("hot.h");
	}
}

/* The toolkit's headers are not looked through, under none of their names; what else lies below its root is. */
static void test_toolkit(void **state)
{
	static const struct {
		const char *option;
		bool found;
	} rows[] = {
	    {"-Ikit/include", false},    {"-Ikit/targets/x86_64-linux/include", false},
	    {"-Ialias", false},          {"-isystem=alias/cccl", false},
	    {"-Ikit/share", true},       {"-isystem=kit/share", true},
	};
	const char *path = getenv("PATH");

	(void)state;
	put("k.cu", "#include <hot.h>\n");
	put("kit/bin/nvcc", "#!/bin/sh\n");
	assert_int_equal(chmod("kit/bin/nvcc", 0755), 0);
	put("kit/include/cuda_runtime.h", "");
	put("kit/include/hot.h", "ktune");
	put("kit/include/cccl/hot.h", "ktune");
	put("kit/share/hot.h", "ktune");
	put("kit/targets/x86_64-linux/nothing", "");
	assert_int_equal(symlink("../../include", "kit/targets/x86_64-linux/include"), 0);
	assert_int_equal(symlink("kit/include", "alias"), 0);
	path = kt_arena_strdup(arena, path != NULL ? path : "");
	assert_int_equal(setenv("PATH", kt_path_absolute(arena, "kit/bin", NULL), 1), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (walk_with(rows[i].option, NULL).found != rows[i].found)
			fail_msg("%s", rows[i].option);
	assert_int_equal(setenv("PATH", path, 1), 0);
}

static void test_lists(void **state)
{
	struct kt_walk walk;

	(void)state;
	put("k.cu", "#include \"a.h\"\n#include <b.h>\n#include <missing.h>\n#include \"a.h\"\n");
	put("two/a.h", "");
	put("two/b.h", "ktune");
	walk = walk_with("-Ione,two,three", NULL);
	assert_int_equal(walk.file_count, 3);
	assert_false(file(&walk, "two/a.h")->has_word);
	assert_true(file(&walk, "two/b.h")->has_word);
	assert_true(file(&walk, "two/b.h")->stamp.size == 5);
	assert_true(absent(&walk, "a.h"));
	assert_true(absent(&walk, "one/a.h"));
	assert_true(absent(&walk, "one/b.h"));
	assert_false(absent(&walk, "b.h"));
	assert_false(absent(&walk, "three/b.h"));
	assert_true(absent(&walk, "three/missing.h"));
	assert_int_equal(walk.absent_count, 6);
}

/* A changed file is read again, whatever the memo says; one that changed a moment ago is not remembered. */
static void test_memo_change(void **state)
{
	(void)state;
	put("k.cu", "int a;");
	assert_false(walk_with("", "cache").found);
	assert_true(kt_fs_is_file("cache/walk.memo"));
	assert_false(walk_with("", "cache").found);
	assert_int_equal(kt_fs_write("k.cu", "#ktune", 6, &error), KT_OK);
	assert_true(walk_with("", "cache").found);
	assert_int_equal(kt_fs_write("k.cu", "int b;", 6, &error), KT_OK);
	assert_false(walk_with("", "cache").found);
}

/* Is the memo used at all? A file that it knows is not opened. */
static void test_memo_is_used(void **state)
{
	char events[4096];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	(void)state;
	put("k.cu", "int a;");
	assert_false(walk_with("", "cache").found);
	assert_true(inotify_add_watch(watch, "k.cu", IN_OPEN) >= 0);
	assert_false(walk_with("", "cache").found);
	assert_int_equal(read(watch, events, sizeof events), -1);
	assert_false(walk_with("", NULL).found);
	assert_true(read(watch, events, sizeof events) > 0);
	close(watch);
}

/* Other bytes of the same length, with the time set back: the memo is not believed. */
static void test_memo_kept_time(void **state)
{
	const struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}}, tick = {.tv_nsec = 20000000};
	int fd;

	(void)state;
	put("k.cu", "int a;");
	assert_false(walk_with("", "cache").found);
	nanosleep(&tick, NULL);
	fd = open("k.cu", O_WRONLY);
	assert_int_equal(pwrite(fd, "#ktune", 6, 0), 6);
	close(fd);
	assert_int_equal(utimensat(AT_FDCWD, "k.cu", times, 0), 0);
	assert_true(walk_with("", "cache").found);
}

static void test_memo_damage(void **state)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	put("k.cu", "#include \"a.h\"\n");
	put("a.h", "ktune");
	assert_true(walk_with("", "cache").found);
	assert_int_equal(kt_fs_read(&text, "cache/walk.memo", &error), KT_OK);
	/* Every byte behind the slots, and the sizes around them. */
	for (size_t at = text.size - 200; at < text.size; at++) {
		text.data[at] ^= 0x55;
		assert_int_equal(kt_fs_write("cache/walk.memo", text.data, text.size, &error), KT_OK);
		assert_true(walk_with("", "cache").found);
		text.data[at] ^= 0x55;
		assert_int_equal(kt_fs_write("cache/walk.memo", text.data, at, &error), KT_OK);
		assert_true(walk_with("", "cache").found);
	}
	for (size_t i = 8; i < text.size; i++)
		text.data[i] = (char)0xff;
	assert_int_equal(kt_fs_write("cache/walk.memo", text.data, text.size, &error), KT_OK);
	assert_true(walk_with("", "cache").found);
	assert_int_equal(kt_fs_write("cache/walk.memo", "short", 5, &error), KT_OK);
	assert_true(walk_with("", "cache").found);
	kt_buf_free(&text);
}

/* A cache directory that cannot be made or written changes nothing. */
static void test_memo_unwritable(void **state)
{
	(void)state;
	put("k.cu", "ktune");
	put("file", "");
	assert_true(walk_with("", "file/cache").found);
	assert_true(walk_with("", "/proc/ktune").found);
	assert_true(walk_with("", "").found);
	assert_int_equal(kt_fs_mkdirs("cache/walk.memo", &error), KT_OK);
	assert_true(walk_with("", "cache").found);
}

/* Where the input holds the word no header is looked at: the memo knows nothing of it afterwards. */
static void test_stops_early(void **state)
{
	struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
	char *argv[] = {"nvcc", "-c", "k.cu", NULL};
	struct kt_command *command;
	bool found = false;
	int fd;

	(void)state;
	put("a.h", "int a;");
	put("k.cu", "#include \"a.h\"\n// ktune");
	assert_int_equal(kt_command_parse(&command, arena, 3, argv, &error), KT_OK);
	assert_int_equal(kt_walk_finds(&found, arena, command, "stops", &error), KT_OK);
	assert_true(found);
	fd = open("a.h", O_WRONLY);
	assert_int_equal(pwrite(fd, "#ktune", 6, 0), 6);
	close(fd);
	assert_int_equal(utimensat(AT_FDCWD, "a.h", times, 0), 0);
	put("k.cu", "#include \"a.h\"\n");
	found = false;
	assert_int_equal(kt_walk_finds(&found, arena, command, "stops", &error), KT_OK);
	assert_true(found);
}

static void test_unreadable(void **state)
{
	char *argv[] = {"nvcc", "-c", "none.cu", NULL};
	struct kt_command *command;
	struct kt_walk walk;

	(void)state;
	assert_int_equal(kt_command_parse(&command, arena, 3, argv, &error), KT_OK);
	assert_int_equal(kt_walk(&walk, arena, command, NULL, &error), KT_ERR_IO);
	assert_non_null(strstr(error.message, "none.cu"));
}

/* A directory that contains itself ends. */
static void test_link_loop(void **state)
{
	(void)state;
	put("k.cu", "#include \"a/x.h\"\n");
	put("a/x.h", "#include \"self/x.h\"\n");
	assert_int_equal(symlink(".", "a/self"), 0);
	assert_false(walk_with("", NULL).found);
}

/* Many files: the tables grow. */
static void test_many(void **state)
{
	struct kt_walk walk;

	(void)state;
	put("k.cu", "#include \"h/0.h\"\n");
	for (unsigned i = 0; i < 500; i++)
		put(kt_arena_printf(arena, "h/%u.h", i),
		    kt_arena_printf(arena, "#include \"%u.h\"\n#include \"none%u.h\"\n%s", i + 1, i, i == 499 ? "ktune" : ""));
	for (unsigned pass = 0; pass < 2; pass++) {
		walk = walk_with("-Ih", "cache");
		assert_int_equal(walk.file_count, 501);
		assert_true(walk.found);
		assert_true(walk.files[500].has_word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_reach, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_environment, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_toolkit, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_lists, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_memo_change, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_memo_is_used, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_memo_kept_time, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_memo_damage, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_memo_unwritable, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_stops_early, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_unreadable, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_link_loop, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
