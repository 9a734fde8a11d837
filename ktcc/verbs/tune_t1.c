/*
 * ktcc tune --t1: becomes the Python program that makes an annotated source of a T1 file and tunes it
 * (python/ktcc/tuner.py), since T1 files hold expressions of Python's language.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "verbs/tune.h"

enum { WORDS_MOST = 16 };

static kt_status set_environment(struct kt_arena *arena, struct kt_error *err)
{
	const char *package = kt_install_path(arena, "share/ktcc/python"), *before = getenv("PYTHONPATH");
	const char *prefix = kt_install_path(arena, "."), *path = package;

	if (package != NULL && before != NULL && before[0] != '\0')
		path = kt_arena_printf(arena, "%s:%s", package, before);
	if (path == NULL || prefix == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	if (!kt_fs_is_dir(package))
		return kt_fail(err, KT_ERR_MISSING, "%s: no such folder; install ktcc again", package);
	return setenv("PYTHONPATH", path, 1) == 0 && setenv("KTUNE_PREFIX", prefix, 1) == 0
	           ? KT_OK
	           : kt_fail_errno(err, "the environment cannot be set");
}

kt_status kt_tune_t1(struct kt_arena *arena, const struct kt_tune_t1 *wish, const struct kt_target *target,
                     struct kt_error *err)
{
	char *python = kt_path_find_program(arena, "python3");
	const char *words[WORDS_MOST] = {"python3", "-m", "ktcc.tuner", wish->path};
	const struct {
		const char *option, *value;
	} given[] = {{"--budget", wish->budget}, {"--strategy", wish->strategy}, {"--output", wish->output}};
	char **argv = kt_arena_array(arena, WORDS_MOST + (size_t)target->flag_count + 1, sizeof *argv);
	size_t count = 4;

	if (python == NULL)
		return kt_fail(err, KT_ERR_MISSING, "--t1 %s: python3 was not found in PATH; install Python 3.9 or newer",
		               wish->path);
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].value != NULL) {
			words[count++] = given[i].option;
			words[count++] = given[i].value;
		}
	words[count++] = "--";
	TRY(argv != NULL ? set_environment(arena, err) : kt_fail(err, KT_ERR_MEMORY, "out of memory"));
	memcpy(argv, words, count * sizeof *argv);
	for (int i = 0; i < target->flag_count; i++)
		argv[count++] = target->flags[i];
	execv(python, argv);
	return kt_fail_errno(err, "%s", python);
}
