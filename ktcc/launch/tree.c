#include "launch/tree.h"

#include <string.h>
#include <unistd.h>

#include "base/fs.h"

static bool holds(struct kt_arena *arena, const char *folder, const char *name)
{
	const char *path = kt_path_join(arena, folder, name);

	return path != NULL && access(path, F_OK) == 0;
}

static bool reads_package(struct kt_arena *arena, const char *folder)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *path = kt_path_join(arena, folder, "CMakeCache.txt");
	struct kt_error ignored;
	bool found = path != NULL && kt_fs_read(&text, path, &ignored) == KT_OK &&
	             strstr(kt_buf_text(&text), "\nKTune_DIR:") != NULL &&
	             strstr(kt_buf_text(&text), "\nKTune_DIR:PATH=KTune_DIR-NOTFOUND") == NULL;

	kt_buf_free(&text);
	return found;
}

bool kt_tree_find(struct kt_tree *out, struct kt_arena *arena, const char *output)
{
	static const char *const marks[] = {"CMakeCache.txt", ".ninja_log", "build.ninja"};
	const char *folder = kt_path_absolute(arena, output, NULL);

	*out = (struct kt_tree){0};
	while (folder != NULL && strcmp(folder, "/") != 0) {
		folder = kt_path_dirname(arena, folder);
		for (size_t i = 0; folder != NULL && i < sizeof marks / sizeof *marks; i++)
			if (holds(arena, folder, marks[i])) {
				*out = (struct kt_tree){folder, folder, reads_package(arena, folder)};
				return true;
			}
	}
	folder = kt_path_absolute(arena, ".", NULL);
	if (folder != NULL)
		out->name = kt_arena_printf(arena, "%s %ld", folder, (long)getpgid(getppid()));
	return out->name != NULL;
}
