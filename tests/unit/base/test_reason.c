/* The table of reasons: each row has a cause and a fix in plain words, and a line names them in that order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/reason.h"

/* What is a result, or says all that can be said: nothing to fix. */
static const enum kt_reason without_fix[] = {KT_REASON_NONE, KT_REASON_NOT_OURS, KT_REASON_NO_REGION,
                                             KT_REASON_RECURSION, KT_REASON_BASELINE_BEST};

/* Words of ours that no user knows, each as it would begin. */
static const char *const jargon[] = {
    "stands",      "stays",      " meet",     "unseen",   "share out", "hand on", "turn by turn", "behind",
    "in front of", "beside",     "anew",      "but for",  "so many",   "floor",   "plea",         "pursuit",
    "wish",        "tend ",      "carrier",   " hole",    " wall",     "account", "whoever",      "nobody",
    "is said",     "as written", "room",
};

static bool may_lack_fix(enum kt_reason reason)
{
	for (size_t i = 0; i < sizeof without_fix / sizeof *without_fix; i++)
		if (without_fix[i] == reason)
			return true;
	return false;
}

static void check_words(const char *name, const char *text)
{
	for (size_t i = 0; i < sizeof jargon / sizeof *jargon; i++)
		if (strstr(text, jargon[i]) != NULL)
			fail_msg("%s: '%s' in '%s'", name, jargon[i], text);
	/* A clause of a line: no capital, no full stop, no "; " that would be read as the end of the cause. */
	if (text[0] >= 'A' && text[0] <= 'Z' && strncmp(text, "KTUNE_", 6) != 0)
		fail_msg("%s begins with a capital: '%s'", name, text);
	if (text[0] != '\0' && text[strlen(text) - 1] == '.')
		fail_msg("%s ends with a full stop: '%s'", name, text);
}

static void test_rows(void **state)
{
	(void)state;
	for (int i = 1; i < KT_REASON_COUNT; i++) {
		const enum kt_reason reason = (enum kt_reason)i;
		const char *name = kt_reason_name(reason), *cause = kt_reason_text(reason), *fix = kt_reason_fix(reason);

		assert_int_equal(kt_reason_from_name(name), reason);
		check_words(name, cause);
		check_words(name, fix);
		if (cause[0] == '\0' || strstr(cause, "; ") != NULL)
			fail_msg("%s: the cause is one clause: '%s'", name, cause);
		if ((fix[0] == '\0') != may_lack_fix(reason))
			fail_msg("%s: %s", name, fix[0] == '\0' ? "no fix" : "a fix for what needs none");
		if (strcmp(cause, fix) == 0)
			fail_msg("%s: the fix repeats the cause", name);
		for (int k = 1; k < i; k++)
			if (strcmp(cause, kt_reason_text((enum kt_reason)k)) == 0)
				fail_msg("%s and %s have the same cause", name, kt_reason_name((enum kt_reason)k));
	}
}

static void test_lines(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 16);
	const char *fix = kt_reason_fix(KT_REASON_ARGUMENTS), *line;

	(void)state;
	assert_non_null(arena);
	line = kt_reason_line(arena, KT_REASON_ARGUMENTS, "line 3: argument 'x'");
	assert_true(strncmp(line, kt_reason_text(KT_REASON_ARGUMENTS), strlen(kt_reason_text(KT_REASON_ARGUMENTS))) == 0);
	assert_true(strstr(line, ": line 3: argument 'x'; ") < strstr(line, fix));
	/* The fix of this very case takes the place of the row's. */
	line = kt_reason_line(arena, KT_REASON_ARGUMENTS, "argument 'x'; write in(x[n])");
	assert_null(strstr(line, fix));
	assert_non_null(strstr(line, ": argument 'x'; write in(x[n])"));
	assert_string_equal(kt_reason_line(arena, KT_REASON_BASELINE_BEST, NULL), kt_reason_text(KT_REASON_BASELINE_BEST));
	assert_string_equal(kt_reason_line(arena, KT_REASON_BASELINE_BEST, "because"), "no configuration beats the original: because");
	kt_arena_free(arena);
}

/* A command that can be typed: the file's name, and flags only where the language has them and no build knows them. */
static void test_lines_of_a_file(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 16);
	struct kt_error err;
	char *folder;

	(void)state;
	assert_non_null(arena);
	assert_int_equal(kt_fs_temp_dir(&folder, arena, "kt-reason", &err), KT_OK);
	assert_int_equal(chdir(folder), 0);
	assert_non_null(strstr(kt_reason_line_for(arena, KT_REASON_NO_GPU, NULL, "k.cu"),
	                       "run `ktcc tune --lock-dir ktune.lock k.cu -- FLAGS` on"));
	assert_non_null(strstr(kt_reason_line_for(arena, KT_REASON_NO_ENTRY, NULL, "k.cl"), "run `ktcc tune k.cl`"));
	assert_non_null(strstr(kt_reason_line_for(arena, KT_REASON_NO_ENTRY, NULL, "it's a $(k).cl"),
	                       "run `ktcc tune 'it'\\''s a $(k).cl'`"));
	assert_non_null(strstr(kt_reason_line_for(arena, KT_REASON_NO_GPU, NULL, ""),
	                       "run `ktcc tune --lock-dir ktune.lock '' -- FLAGS`"));
	assert_string_equal(kt_reason_line_for(arena, KT_REASON_ARGUMENTS, NULL, "k.cu"),
	                    kt_reason_line(arena, KT_REASON_ARGUMENTS, NULL));
	assert_int_equal(kt_fs_write(kt_path_join(arena, folder, "CMakeCache.txt"), "", 0, &err), KT_OK);
	assert_non_null(strstr(kt_reason_line_for(arena, KT_REASON_NO_GPU, NULL, "k.cu"), "k.cu -- FLAGS` on"));
	assert_int_equal(kt_fs_write(kt_path_join(arena, folder, "compile_commands.json"), "[]", 2, &err), KT_OK);
	assert_non_null(strstr(kt_reason_line_for(arena, KT_REASON_NO_GPU, NULL, "k.cu"),
	                       kt_arena_printf(arena, "run `ktcc tune --lock-dir ktune.lock --compile-commands %s k.cu` on",
	                                       kt_path_real(arena, folder))));
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(kt_fs_remove_tree(folder, &err), KT_OK);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_lines),
	                                   cmocka_unit_test(test_lines_of_a_file)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
