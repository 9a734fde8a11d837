/* Depfiles of emissions, the command's key, and the machine's fingerprint. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/depend.h"
#include "launch/key.h"
#include "launch/machine.h"

static struct kt_arena *arena;
static struct kt_error error;
static char scratch[64];

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(scratch, sizeof scratch, "/tmp/ktcc-depend-XXXXXX");
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	setenv("KTUNE_PREFIX", "/prefix", 1);
	return arena == NULL || mkdtemp(scratch) == NULL || chdir(scratch) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	unsetenv("KTUNE_PREFIX");
	kt_arena_free(arena);
	return chdir("/") != 0 || kt_fs_remove_tree(scratch, &error) != KT_OK;
}

static void put(const char *name, const char *text)
{
	assert_int_equal(kt_fs_write(name, text, strlen(text), &error), KT_OK);
}

static struct kt_depfile read_depfile(const char *name)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_depfile depfile = {0};

	assert_int_equal(kt_fs_read(&text, name, &error), KT_OK);
	assert_int_equal(kt_depfile_parse(&depfile, arena, kt_buf_text(&text), text.size, &error), KT_OK);
	kt_buf_free(&text);
	return depfile;
}

static void expect(const struct kt_depfile *depfile, const char *const *paths)
{
	size_t i;

	for (i = 0; paths[i] != NULL; i++) {
		assert_true(i < depfile->prerequisite_count);
		assert_string_equal(depfile->prerequisites[i], paths[i]);
	}
	assert_int_equal(depfile->prerequisite_count, i);
}

static void test_rewrite(void **state)
{
	static const char *const extra[] = {"k.o.ktune/stamp", "a.h"};
	char *copy = kt_path_join(arena, scratch, "k.o.ktune/k.cu");
	struct kt_depend depend = {.depfile = "k.d", .source = "src/k.cu", .emitted = copy, .extra_count = 2,
	                           .extra = extra};
	struct kt_depfile depfile;

	(void)state;
	put("k.d", "k.o : k.o.ktune/k.cu \\\n    /usr/include/x.h \\\n    /prefix/bin/../include/ktune/ktune.h \\\n"
	           "    src/k.cu \\\n    a.h \\\n    with\\ blank.h\n");
	assert_int_equal(kt_depend_rewrite(&depend, &error), KT_OK);
	depfile = read_depfile("k.d");
	assert_int_equal(depfile.target_count, 1);
	assert_string_equal(depfile.targets[0], "k.o");
	expect(&depfile,
	       (const char *const[]){"src/k.cu", "/usr/include/x.h", "a.h", "with blank.h", "k.o.ktune/stamp", NULL});
	/* Again: nothing changes. */
	assert_int_equal(kt_depend_rewrite(&depend, &error), KT_OK);
	depfile = read_depfile("k.d");
	assert_int_equal(depfile.prerequisite_count, 5);
}

/* Copies of headers leave for their originals, which nvcc may list as well; a copy that is its own original leaves. */
static void test_rewrite_copies(void **state)
{
	struct kt_emitted_file files[] = {{"k.cu", "src/k.cu", ""}, {"1-a.h", "inc/a.h", ""}, {"2-b.h", "b.h", ""},
	                                  {"3-c.h", "k.o.ktune/3-c.h", ""}};
	const struct kt_emitted copies = {.file_count = sizeof files / sizeof *files, .files = files};
	struct kt_depend depend = {.depfile = "k.d", .source = "src/k.cu", .emitted = "k.o.ktune/k.cu", .copies = &copies};
	struct kt_depfile depfile;

	(void)state;
	put("k.d", "k.o : k.o.ktune/k.cu \\\n    src/k.cu \\\n    k.o.ktune/2-b.h \\\n    x.h \\\n    k.o.ktune/1-a.h \\\n"
	           "    inc/a.h \\\n    k.o.ktune/3-c.h\n");
	assert_int_equal(kt_depend_rewrite(&depend, &error), KT_OK);
	depfile = read_depfile("k.d");
	expect(&depfile, (const char *const[]){"src/k.cu", "b.h", "x.h", "inc/a.h", NULL});
}

/* -MP: no empty rule for the copy, which would make make forget that it is gone. */
static void test_rewrite_phony(void **state)
{
	struct kt_depend depend = {.depfile = "k.d", .source = "k.cu", .emitted = "e/k.cu", .phony = true};
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	put("k.d", "k.o : e/k.cu \\\n    k.cu \\\n    a.h\n\nk.cu:\na.h:\n");
	assert_int_equal(kt_depend_rewrite(&depend, &error), KT_OK);
	assert_int_equal(kt_fs_read(&text, "k.d", &error), KT_OK);
	assert_null(strstr(kt_buf_text(&text), "e/k.cu"));
	assert_non_null(strstr(kt_buf_text(&text), "a.h:"));
	kt_buf_free(&text);
}

/* Without -MP: what was added has an empty rule, for whoever removes it; what the compiler named has none. */
static void test_rewrite_empty(void **state)
{
	static const char *const extra[] = {"/t/k.o.ktune/stamp", "/t/ktune.lock/k-12345678"};
	struct kt_depend depend = {
	    .depfile = "k.d", .source = "k.cu", .emitted = "e/k.cu", .extra_count = 2, .extra = extra};
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	put("k.d", "k.o : e/k.cu \\\n    k.cu \\\n    a.h\n");
	/* The second pass reads what the first wrote. */
	for (int i = 0; i < 2; i++) {
		kt_buf_clear(&text);
		assert_int_equal(kt_depend_rewrite(&depend, &error), KT_OK);
		assert_int_equal(kt_fs_read(&text, "k.d", &error), KT_OK);
		assert_null(strstr(kt_buf_text(&text), "a.h:"));
		assert_null(strstr(kt_buf_text(&text), "k.cu:"));
		assert_non_null(strstr(kt_buf_text(&text), "\n/t/k.o.ktune/stamp:\n"));
		assert_non_null(strstr(kt_buf_text(&text), "\n/t/ktune.lock/k-12345678:\n"));
	}
	kt_buf_free(&text);
}

/* A folder for quoted includes that the command did not have leaves "./" behind. */
static void test_rewrite_bare(void **state)
{
	struct kt_depend depend = {.depfile = "k.d", .source = "k.cu", .emitted = "e/k.cu"};
	struct kt_depfile depfile;

	(void)state;
	for (int bare = 0; bare < 2; bare++) {
		depend.bare = bare == 1;
		put("k.d", "k.o : e/k.cu \\\n    ./a.h \\\n    s/./b.h \\\n    ../c.h\n");
		assert_int_equal(kt_depend_rewrite(&depend, &error), KT_OK);
		depfile = read_depfile("k.d");
		expect(&depfile, (const char *const[]){"k.cu", bare ? "a.h" : "./a.h", "s/./b.h", "../c.h", NULL});
	}
}

static void test_rewrite_bad(void **state)
{
	struct kt_depend depend = {.depfile = "k.d", .source = "k.cu", .emitted = "e/k.cu"};

	(void)state;
	assert_int_equal(kt_depend_rewrite(&depend, &error), KT_ERR_MISSING);
	put("k.d", "");
	assert_int_not_equal(kt_depend_rewrite(&depend, &error), KT_OK);
	put("k.d", "no rule at all\n");
	assert_int_not_equal(kt_depend_rewrite(&depend, &error), KT_OK);
}

static void test_write(void **state)
{
	const char *targets[] = {"out dir/k.o"}, *paths[] = {"k.cu", "a#b.h", "c$d.h"};
	struct kt_depfile known = {1, targets, 3, paths, false, 0, NULL}, depfile;

	(void)state;
	assert_int_equal(kt_depend_write("k.d", &known, &error), KT_OK);
	depfile = read_depfile("k.d");
	expect(&depfile, (const char *const[]){"k.cu", "a#b.h", "c$d.h", NULL});
	assert_int_not_equal(kt_depend_write("none/k.d", &known, &error), KT_OK);
}

static void key_of(char out[KT_HASH_TEXT], char *last)
{
	char *argv[] = {"./nvcc", "-c", "k.cu", "-optf", "options", last, NULL};
	struct kt_config config = {.budget_trials = 1};
	struct kt_command *command;

	assert_int_equal(kt_command_parse(&command, arena, 6, argv, &error), KT_OK);
	kt_command_key(out, arena, command, &config);
}

static void test_key(void **state)
{
	static const struct {
		const char *name;
		bool matters;
	} variables[] = {
	    {"NVCC_CCBIN", true}, {"CPATH", true},         {"C_INCLUDE_PATH", true}, {"CPLUS_INCLUDE_PATH", true},
	    {"GCC_ANY", true},    {"COMPILER_PATH", true}, {"KTUNE_ANY", true},      {"CUDA_VISIBLE_DEVICES", true},
	    {"CUDA_PATH", true},  {"CPATHS", false},       {"MAKELEVEL", false},     {"NVCCX", false}};
	char first[KT_HASH_TEXT], other[KT_HASH_TEXT];

	(void)state;
	put("nvcc", "1");
	put("options", "-DA");
	key_of(first, "-DX");
	key_of(other, "-DX");
	assert_string_equal(first, other);
	assert_int_equal(strlen(first), KT_HASH_TEXT - 1);
	key_of(other, "-DY");
	assert_string_not_equal(first, other);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		unsetenv(variables[i].name);
		key_of(first, "-DX");
		setenv(variables[i].name, "value", 1);
		key_of(other, "-DX");
		if ((strcmp(first, other) != 0) != variables[i].matters)
			fail_msg("%s", variables[i].name);
		unsetenv(variables[i].name);
	}
	put("options", "-DB");
	key_of(other, "-DX");
	assert_string_not_equal(first, other);
	/* The host compiler may be a script. */
	put("host", "#!1");
	key_of(first, "-ccbin=./host");
	put("host", "#!1 and more");
	key_of(other, "-ccbin=./host");
	assert_string_not_equal(first, other);
}

static void test_machine(void **state)
{
	char first[KT_HASH_TEXT], other[KT_HASH_TEXT];

	(void)state;
	unsetenv("CUDA_VISIBLE_DEVICES");
	kt_machine_fingerprint(first);
	kt_machine_fingerprint(other);
	assert_string_equal(first, other);
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	kt_machine_fingerprint(other);
	assert_string_not_equal(first, other);
	unsetenv("CUDA_VISIBLE_DEVICES");
	assert_int_equal(kt_machine_has_gpu(), access("/dev/nvidia0", F_OK) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_rewrite, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rewrite_copies, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rewrite_phony, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rewrite_empty, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rewrite_bare, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rewrite_bad, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_write, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_key, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_machine, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
