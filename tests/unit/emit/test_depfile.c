/* Dependency files: escapes both ways, -MP, damage. */
#include "../emit/region_fixture.h"
#include "emit/depfile.h"

static struct kt_arena *arena;

static kt_status parse(struct kt_depfile *out, const char *text, struct kt_error *err)
{
	return kt_depfile_parse(out, arena, text, strlen(text), err);
}

static void test_nvcc_form(void **state)
{
	struct kt_depfile d;
	struct kt_error err;

	(void)state;
	fx_ok(
	    parse(&d, "a.o b.o : k.cu \\\n    /x/a\\ b.h \\\r\n    c\\#d e$$f C:/w.h g:h\n\n/x/a\\ b.h:\n\ni:\n", &err),
	    &err);
	assert_int_equal(d.target_count, 2);
	assert_string_equal(d.targets[1], "b.o");
	assert_int_equal(d.prerequisite_count, 6);
	assert_string_equal(d.prerequisites[0], "k.cu");
	assert_string_equal(d.prerequisites[1], "/x/a b.h");
	assert_string_equal(d.prerequisites[2], "c#d");
	assert_string_equal(d.prerequisites[3], "e$f");
	assert_string_equal(d.prerequisites[4], "C:/w.h");
	assert_string_equal(d.prerequisites[5], "g:h");
	assert_true(d.phony);
}

static void test_round_trip(void **state)
{
	const char *names[] = {"k.cu", "a b", "c#d", "e$f", "back\\slash", "trail\\ x", "two\\\\ y", "\xc3\xa4"};
	const char *target = "o ut.o";
	struct kt_depfile in = {1, &target, 8, names, true, 0, NULL}, d;
	struct kt_buf out = KT_BUF(4096);
	struct kt_error err;

	(void)state;
	kt_depfile_print(&out, &in);
	fx_ok(parse(&d, kt_buf_text(&out), &err), &err);
	assert_string_equal(d.targets[0], target);
	assert_int_equal(d.prerequisite_count, 8);
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(d.prerequisites[i], names[i]);
	assert_true(d.phony);
	kt_buf_free(&out);
}

/* Backslashes and colons where a name ends, and in front of what is escaped. */
static void test_round_trip_ends(void **state)
{
	const char *names[] = {"a\\", "b\\\\", "c:", "d\\:", "e\\:f", "g: h", "\\", ":", "#\\# i", "j\\\\$", "last\\"};
	enum { NAMES = sizeof names / sizeof *names };
	struct kt_depfile in = {2, names, NAMES, names, true, 0, NULL}, d;
	struct kt_buf out = KT_BUF(4096);
	struct kt_error err;

	(void)state;
	kt_depfile_print(&out, &in);
	fx_ok(parse(&d, kt_buf_text(&out), &err), &err);
	assert_int_equal(d.target_count, 2);
	assert_string_equal(d.targets[0], names[0]);
	assert_string_equal(d.targets[1], names[1]);
	assert_int_equal(d.prerequisite_count, NAMES);
	for (size_t i = 0; i < NAMES; i++)
		assert_string_equal(d.prerequisites[i], names[i]);
	assert_true(d.phony);
	kt_buf_free(&out);
}

/* An odd run of backslashes in front of a line's end continues it, an even one does not. */
static void test_continued(void **state)
{
	struct kt_depfile d;
	struct kt_error err;

	(void)state;
	fx_ok(parse(&d, "k.o : a\\\\\\\n b\\\\\n", &err), &err);
	assert_int_equal(d.prerequisite_count, 2);
	assert_string_equal(d.prerequisites[0], "a\\\\");
	assert_string_equal(d.prerequisites[1], "b\\\\");
}

static void test_print(void **state)
{
	const char *names[] = {"k.cu", "a b.h"}, *target = "k.o";
	struct kt_depfile in = {1, &target, 2, names, false, 0, NULL};
	struct kt_buf out = KT_BUF(4096);

	(void)state;
	kt_depfile_print(&out, &in);
	assert_string_equal(kt_buf_text(&out), "k.o : k.cu \\\n    a\\ b.h\n");
	in.phony = true;
	kt_buf_clear(&out);
	kt_depfile_print(&out, &in);
	assert_string_equal(kt_buf_text(&out), "k.o : k.cu \\\n    a\\ b.h\n\na\\ b.h:\n");
	kt_buf_free(&out);
}

static void test_damage(void **state)
{
	static const char *const bad[] = {
	    "", "\n# nothing\n", "k.o", "k.o k.cu\n", ": k.cu\n", "a : b : c\n", "a : b\nc : d\n", "a :\v b\n"};
	struct kt_depfile d;
	struct kt_error err;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(parse(&d, bad[i], &err), KT_ERR_SYNTAX);
	fx_ok(parse(&d, "k.o:\n", &err), &err);
	assert_int_equal(d.prerequisite_count, 0);
	fx_ok(parse(&d, "k.o:\\\n k.cu\\\n", &err), &err);
	assert_int_equal(d.prerequisite_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nvcc_form),
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_round_trip_ends),
	    cmocka_unit_test(test_continued),
	    cmocka_unit_test(test_print),
	    cmocka_unit_test(test_damage),
	};
	int failed;

	arena = kt_arena_new(1 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kt_arena_free(arena);
	return failed;
}
