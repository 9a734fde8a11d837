/*
 * ktcc tune --t1: becomes the Python program that makes an annotated source of a T1 file and tunes it
 * (python/ktcc/tuner.py), since T1 files hold expressions of Python's language.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "verbs/tune.h"

/* Words besides options and flags, and the NULL after them. */
enum { WORDS = 8 };

static kt_status set_environment(struct kt_arena *arena, struct kt_error *err)
{
	const char *package = kt_install_path(arena, "share/ktcc/python"), *before = getenv("PYTHONPATH");
	const char *prefix = kt_install_path(arena, "."), *path = package;

	if (package != NULL && before != NULL && before[0] != '\0')
		path = kt_arena_printf(arena, "%s:%s", package, before);
	if (path == NULL || prefix == NULL)
		return kt_no_memory(err);
	if (!kt_fs_is_dir(package))
		return kt_fail(err, KT_ERR_MISSING, "%s: no such folder; install ktcc again", package);
	return setenv("PYTHONPATH", path, 1) == 0 && setenv("KTUNE_PREFIX", prefix, 1) == 0
	           ? KT_OK
	           : kt_fail_errno(err, "the environment cannot be set");
}

const char *kt_tune_t1_foreign(const struct kt_given *given)
{
	static const enum kt_option of_sources[] = {KT_OPTION_tune_database, KT_OPTION_tune_sizes, KT_OPTION_tune_ask,
	                                            KT_OPTION_tune_answer};

	for (size_t i = 0; i < sizeof of_sources / sizeof *of_sources; i++)
		if (kt_given_has(given, of_sources[i]))
			return kt_option_rows[of_sources[i]].name;
	return NULL;
}

/* Every other option is the program's too; what --t4 names is a file there. */
static size_t pass_on(char **argv, size_t count, struct kt_arena *arena, const struct kt_given *given)
{
	for (size_t i = 0; i < given->option_count; i++) {
		const struct kt_given_option *one = &given->options[i];
		const char *name = one->option == KT_OPTION_tune_t4 ? "output" : kt_option_rows[one->option].name;

		if (one->option != KT_OPTION_tune_t1)
			argv[count++] = one->text == NULL ? kt_arena_printf(arena, "--%s", name)
			                                  : kt_arena_printf(arena, "--%s=%s", name, one->text);
	}
	return count;
}

/* NULL: out of memory. */
static char **words_of(struct kt_arena *arena, const struct kt_given *given)
{
	char **argv = kt_arena_array(arena, WORDS + given->option_count + (size_t)given->flag_count, sizeof *argv);
	size_t count = 0;
	bool made = argv != NULL;

	if (!made)
		return NULL;
	argv[count++] = "python3";
	argv[count++] = "-m";
	argv[count++] = "ktcc.tuner";
	argv[count++] = kt_arena_strdup(arena, kt_given_text(given, KT_OPTION_tune_t1));
	if (given->json)
		argv[count++] = "--json";
	count = pass_on(argv, count, arena, given);
	argv[count++] = "--";
	for (size_t i = 0; i < count; i++)
		made = made && argv[i] != NULL;
	for (int i = 0; i < given->flag_count; i++)
		argv[count++] = given->flags[i];
	return made ? argv : NULL;
}

kt_status kt_tune_t1(struct kt_arena *arena, const struct kt_given *given, struct kt_error *err)
{
	char *python = kt_path_find_program(arena, "python3"), **argv = words_of(arena, given);

	if (python == NULL)
		return kt_fail(err, KT_ERR_MISSING, "--t1 %s: python3 was not found in PATH; install Python 3.9 or newer",
		               kt_given_text(given, KT_OPTION_tune_t1));
	TRY(argv != NULL ? set_environment(arena, err) : kt_no_memory(err));
	execv(python, argv);
	return kt_fail_errno(err, "%s", python);
}
