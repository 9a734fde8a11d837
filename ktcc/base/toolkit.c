#include "base/toolkit.h"

#include <dirent.h>
#include <string.h>

#include "base/fs.h"

char *kt_toolkit_headers(struct kt_arena *arena, const char *root)
{
	static const char *const places[] = {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include",
	                                     "targets/aarch64-linux/include"};

	for (size_t i = 0; root != NULL && i < sizeof places / sizeof *places; i++) {
		char *folder = kt_path_join(arena, root, places[i]);
		char *sign = folder != NULL ? kt_path_join(arena, folder, "cuda_runtime.h") : NULL;

		if (sign != NULL && kt_fs_is_file(sign))
			return folder;
	}
	return NULL;
}

/* "libnvrtc.so" or "libnvrtc.so.12" in a folder; of several versions the one whose name is last. */
static char *library_in(struct kt_arena *arena, const char *folder, const char *name)
{
	const size_t length = strlen(name);
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	char *best = NULL;

	if (directory == NULL)
		return NULL;
	while ((entry = readdir(directory)) != NULL) {
		const char *tail = entry->d_name + length;
		const bool ours = strncmp(entry->d_name, name, length) == 0 && (*tail == '\0' || *tail == '.');

		/* The name without a version is a link that developers' packages have. */
		if (ours && *tail == '\0') {
			best = kt_arena_strdup(arena, entry->d_name);
			break;
		}
		if (ours && (best == NULL || strcmp(entry->d_name, best) > 0))
			best = kt_arena_strdup(arena, entry->d_name);
	}
	closedir(directory);
	return best != NULL ? kt_path_join(arena, folder, best) : NULL;
}

char *kt_toolkit_library(struct kt_arena *arena, const char *root, const char *name)
{
	/* The last: wheels of PyPI, one a part of the toolkit, beside that of the compiler. */
	static const char *const places[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
	                                     "targets/aarch64-linux/lib", "../cuda_nvrtc/lib"};
	char *found = NULL;

	for (size_t i = 0; root != NULL && found == NULL && i < sizeof places / sizeof *places; i++) {
		char *folder = kt_path_join(arena, root, places[i]);

		if (folder != NULL)
			found = library_in(arena, folder, name);
	}
	return found;
}
