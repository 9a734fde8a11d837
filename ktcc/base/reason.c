#include "base/reason.h"

#include <stddef.h>
#include <string.h>

#include "base/fs.h"

static const struct {
	const char *name, *text, *fix;
	bool quiet;
} rows[KT_REASON_COUNT] = {
    {"none", "nothing", "", true},
#define ROW(id, name, cause, fix, quiet) {name, cause, fix, quiet},
    KT_REASONS(ROW)
#undef ROW
};

const char *kt_reason_name(enum kt_reason reason)
{
	return rows[reason].name;
}

const char *kt_reason_text(enum kt_reason reason)
{
	return rows[reason].text;
}

const char *kt_reason_fix(enum kt_reason reason)
{
	return rows[reason].fix;
}

const char *kt_reason_line(struct kt_arena *arena, enum kt_reason reason, const char *detail)
{
	const char *fix = detail != NULL && strstr(detail, "; ") != NULL ? "" : rows[reason].fix;
	const char *line = kt_arena_printf(arena, "%s%s%s%s%s", rows[reason].text, detail != NULL ? ": " : "",
	                                   detail != NULL ? detail : "", fix[0] != '\0' ? "; " : "", fix);

	return line != NULL ? line : rows[reason].text;
}

/* The folder of the CMake build in which the command runs; NULL: it runs in none. */
static const char *build_folder(struct kt_arena *arena)
{
	const char *folder = kt_path_absolute(arena, ".", NULL);

	for (; folder != NULL && strcmp(folder, "/") != 0; folder = kt_path_dirname(arena, folder))
		if (kt_fs_is_file(kt_path_join(arena, folder, "CMakeCache.txt")))
			return folder;
	return NULL;
}

static const char *tune_command(struct kt_arena *arena, const char *file)
{
	const char *build, *dot = strrchr(file, '.');

	if (dot != NULL && strcmp(dot, ".cl") == 0)
		return kt_path_word(arena, file);
	build = build_folder(arena);
	if (build != NULL && kt_fs_is_file(kt_path_join(arena, build, "compile_commands.json")))
		return kt_arena_printf(arena, "--compile-commands %s %s", kt_path_word(arena, build), kt_path_word(arena, file));
	return kt_arena_printf(arena, "%s -- FLAGS", kt_path_word(arena, file));
}

const char *kt_reason_line_for(struct kt_arena *arena, enum kt_reason reason, const char *detail, const char *file)
{
	static const char placeholder[] = "FILE -- FLAGS";
	const char *line = kt_reason_line(arena, reason, detail), *at = strstr(line, placeholder);
	const char *command = at != NULL && file != NULL ? tune_command(arena, file) : NULL;
	const char *text = command != NULL ? kt_arena_printf(arena, "%.*s%s%s", (int)(at - line), line, command,
	                                                     at + sizeof placeholder - 1)
	                                   : NULL;

	return text != NULL ? text : line;
}

bool kt_reason_quiet(enum kt_reason reason)
{
	return rows[reason].quiet;
}

enum kt_reason kt_reason_from_name(const char *name)
{
	for (size_t i = 1; i < KT_REASON_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			return (enum kt_reason)i;
	return KT_REASON_NONE;
}
