#include "launch/toolkit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/toolkit.h"

#define NUMBER_MOST 100000
#define SECONDS_MOST 10 /* for nvcc's answer about itself */

/* The toolkit that a program lies in the bin folder of. */
static char *above(struct kt_arena *arena, const char *program)
{
	char *folder = program == NULL ? NULL : kt_path_dirname(arena, program);
	char *root = folder == NULL ? NULL : kt_path_dirname(arena, folder);

	return kt_toolkit_headers(arena, root) != NULL ? root : NULL;
}

static char *around(struct kt_arena *arena, const char *program, const char *directory)
{
	char *root = above(arena, kt_path_absolute(arena, program, directory));

	return root != NULL ? root : above(arena, kt_path_real(arena, program));
}

/* Where "nvcc" is a compiler cache under that name, a later one along PATH is what it runs. */
static char *along_path(struct kt_arena *arena, const char *directory)
{
	const char *path = getenv("PATH");
	char *root = NULL;

	while (root == NULL && path != NULL && *path != '\0') {
		size_t length = strcspn(path, ":");
		char *program = length != 0 ? kt_arena_printf(arena, "%.*s/nvcc", (int)length, path) : NULL;

		if (program != NULL && access(program, X_OK) == 0)
			root = around(arena, program, directory);
		path += length;
		path += *path == ':';
	}
	return root;
}

/* "#$ TOP=/usr/local/cuda/bin/.." is among what nvcc would do. */
static char *asked(struct kt_arena *arena, const struct kt_command *command)
{
	static const char mark[] = "\n#$ TOP=";
	char *argv[] = {(char *)(uintptr_t)command->nvcc, (char[]){"-dryrun"}, (char[]){"-E"}, (char[]){"-x"},
	                (char[]){"cu"}, (char[]){"/dev/null"}, NULL};
	struct kt_proc_options options = {.directory = command->directory, .timeout_s = SECONDS_MOST};
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	struct kt_proc_result result;
	struct kt_error err;
	const char *at;
	char *root = NULL;

	if (kt_proc_run(&result, argv, &options, NULL, &text, &err) == KT_OK &&
	    (at = strstr(kt_buf_text(&text), mark)) != NULL) {
		at += strlen(mark);
		at = kt_arena_printf(arena, "%.*s/bin/nvcc", (int)strcspn(at, "\r\n"), at);
		root = around(arena, at, command->directory);
	}
	kt_buf_free(&text);
	return root;
}

char *kt_toolkit_root(struct kt_arena *arena, const struct kt_command *command, bool ask)
{
	char *root = NULL;

	if (command->is_clang && command->cuda_path != NULL)
		return kt_path_absolute(arena, command->cuda_path, command->directory);
	if (!command->is_clang && command->nvcc == NULL)
		return NULL;
	if (!command->is_clang)
		root = around(arena, command->nvcc, command->directory);
	if (root == NULL && !command->is_clang && ask)
		root = asked(arena, command);
	return root != NULL ? root : along_path(arena, command->directory);
}

static bool read_number(int *out, const char **at, char end)
{
	char *behind;
	long number = **at >= '0' && **at <= '9' ? strtol(*at, &behind, 10) : -1;

	if (number < 0 || number > NUMBER_MOST || (end != '\0' && *behind != end))
		return false;
	*out = (int)number;
	*at = behind + (end != '\0');
	return true;
}

bool kt_release_read(struct kt_release *out, const char *text)
{
	const char *at = strstr(text, ", V");

	NEED(at, false);
	at += 3;
	return read_number(&out->major, &at, '.') && read_number(&out->minor, &at, '.') &&
	       read_number(&out->build, &at, '\0');
}

static kt_status ask(struct kt_buf *text, const struct kt_command *command, struct kt_error *err)
{
	char *argv[] = {(char *)(uintptr_t)command->nvcc, (char[]){"--version"}, NULL};
	struct kt_proc_options options = {.timeout_s = 30};
	struct kt_proc_result result;

	return kt_proc_run(&result, argv, &options, text, NULL, err);
}

bool kt_toolkit_release(struct kt_release *out, const struct kt_command *command, struct kt_store *store)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES), key = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_file_stamp stamp;
	struct kt_error err;
	bool known = false;

	/* clang prints its own version, or none. */
	if (command->is_clang || command->nvcc == NULL || kt_fs_stamp(&stamp, command->nvcc, &err) != KT_OK)
		return false;
	kt_buf_addf(&key, "nvcc release %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64, command->nvcc, stamp.device,
	            stamp.inode, stamp.size, stamp.mtime_ns);
	if (kt_store_get_blob(&text, store, kt_buf_text(&key)))
		known = kt_release_read(out, kt_buf_text(&text));
	if (!known) {
		kt_buf_clear(&text);
		known = ask(&text, command, &err) == KT_OK && kt_release_read(out, kt_buf_text(&text));
		if (known && store != NULL &&
		    kt_store_put_blob(store, kt_buf_text(&key), kt_buf_text(&text), text.size, &err) != KT_OK)
			kt_log("release of nvcc not stored: %s", err.message);
	}
	kt_buf_free(&text);
	kt_buf_free(&key);
	return known;
}
